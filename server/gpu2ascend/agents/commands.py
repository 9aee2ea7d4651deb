"""Commands of ours in a process of their own, which a cancelled request ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from mcp.server.mcpserver.exceptions import ToolError

_START = (
    "import sys; sys.path[:] = {path!r}; from gpu2ascend.__main__ import main; sys.exit(main(sys.argv[1:]))"
)
_USAGE = 2
"""The exit code of a command that was not carried out."""


class Ran(NamedTuple):
    """What a command printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON."""
        return json.loads(self.out)


async def command(*arguments: str | Path, cwd: Path) -> Ran:
    """Run a command; when the request is cancelled, its process is killed.

    Args:
        cwd: The root that relative paths are relative to.

    Raises:
        ToolError: the command was not carried out; the text says what to do.
    """
    start = _START.format(path=sys.path)
    ran = await anyio.run_process(
        [sys.executable, "-I", "-X", "utf8", "-c", start, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        check=False,
    )
    out, err = ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace")
    if ran.returncode == _USAGE:
        raise ToolError(err.strip() or "the command failed")
    return Ran(ran.returncode, out, err)
