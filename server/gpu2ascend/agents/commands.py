"""Commands of ours in a process of their own, which a cancelled request ends."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from anyio.abc import Process
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from ..texts.answers.budget import ending
from .settings import settings_of

_START = (
    "import sys; sys.path[:] = {path!r}; from gpu2ascend.__main__ import main; sys.exit(main(sys.argv[1:]))"
)
_USAGE = 2
"""The exit code of a command that was not carried out."""
_TICK = 2
"""Seconds between two messages on the progress."""
_GRACE = 10
"""Seconds in which a command that is cancelled may put away what it began."""
_NOTICES = 200
"""Tokens of what a command says beside its result."""
_ERROR = 500
"""Tokens of why a command was not carried out."""
_PARAMETERS = {
    "--force": "`replace: true`",
    "--unsafe-fixes": "`unsafe: true`",
    "--unsafe": "`unsafe: true`",
    "-v/--version": "`version`",
    "--version": "`version`",
    "--hardware": "`hardware`",
    "--select": "`code`",
    "--lines": "`line`",
    "--order": "`order`",
}
"""What a tool calls an option that a message speaks of."""
_LAST = 2_000
"""Bytes of what a command says in which its last line is looked for."""
_OPTION = re.compile("|".join(rf"{re.escape(name)}(?![\w-])" for name in _PARAMETERS))
NOWHERE = Path(__file__).parent
"""Where a command runs that reads no project: no settings of one may count."""


class Ran(NamedTuple):
    """What a command printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON."""
        return json.loads(self.out)

    @property
    def notices(self) -> str:
        """The end of what it said beside its result."""
        return ending(for_tools(self.err), _NOTICES)


def for_tools(text: str) -> str:
    """A message of a command with the names that tools have for its options."""
    return _OPTION.sub(lambda match: _PARAMETERS[match.group()], text.replace("gpu2ascend: ", ""))


async def command(ctx: Context, *arguments: str | Path, cwd: Path = NOWHERE, hint: str = "") -> Ran:
    """Run a command, with a message on the progress every other second.

    When the request is cancelled, the command is asked to end, and puts away what it began.

    Args:
        cwd: The root that relative paths are relative to.
        hint: What to do next where it is not carried out.

    Raises:
        ToolError: the command was not carried out; the text says what to do.
    """
    ran = await _finished(ctx, arguments, cwd)
    if ran.code == _USAGE:
        reason = ending(for_tools(ran.err), _ERROR) or "the command failed"
        raise ToolError(f"{reason}\n{hint}" if hint else reason)
    return ran


async def _finished(ctx: Context, arguments: tuple[str | Path, ...], cwd: Path) -> Ran:
    start = _START.format(path=sys.path)
    language = ("--language", settings_of(ctx).language)
    line = [sys.executable, "-I", "-X", "utf8", "-c", start, *language, *map(str, arguments)]
    out, err = bytearray(), bytearray()
    async with await anyio.open_process(line, stdin=subprocess.DEVNULL, cwd=cwd) as process:
        try:
            async with anyio.create_task_group() as telling:
                telling.start_soon(_tell, ctx, str(arguments[0]), err)
                async with anyio.create_task_group() as reading:
                    reading.start_soon(_read, process.stdout, out)
                    reading.start_soon(_read, process.stderr, err)
                code = await process.wait()
                telling.cancel_scope.cancel()
        except BaseException:
            await _end(process)
            raise
    return Ran(code, _text(out), _text(err))


async def _read(stream: AsyncIterable[bytes] | None, into: bytearray) -> None:
    if stream is not None:
        async for piece in stream:
            into += piece


async def _tell(ctx: Context, name: str, err: bytearray) -> None:
    """Tell the client what the command said last, until this is cancelled."""
    for count in itertools.count():
        lines = _text(err[-_LAST:]).strip().splitlines()
        await ctx.report_progress(count, message=for_tools(lines[-1]) if lines else f"{name} runs")
        await anyio.sleep(_TICK)


async def _end(process: Process) -> None:
    with anyio.CancelScope(shield=True), suppress(ProcessLookupError):
        process.terminate()
        with anyio.move_on_after(_GRACE):
            await process.wait()
            return
        process.kill()


def _text(data: bytearray) -> str:
    return data.decode("utf-8", "replace")
