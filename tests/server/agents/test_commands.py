"""A cancelled request ends its command, which puts away what it began; progress goes to the client."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client

from gpu2ascend.agents import commands
from gpu2ascend.agents.server import build

from .conftest import LEGACY, PROTOCOLS, V, asked, settings

pytestmark = pytest.mark.slow

_WAITS = """
import pathlib, signal, sys, time
note = pathlib.Path({note!r})
def end(number, frame):
    note.write_text("was asked to end")
    {then}
signal.signal(signal.SIGTERM, end)
note.write_text(str(__import__("os").getpid()))
print("halfway", file=sys.stderr, flush=True)
time.sleep(60)
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def cancelled_at(awaited: str, tool: str, arguments: dict[str, Any]) -> None:
    """Cancel a call as soon as the client hears a message of its progress."""
    with anyio.fail_after(30), anyio.CancelScope() as scope:

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            if message == awaited:
                scope.cancel()

        async with Client(build(settings())) as session:
            await session.call_tool(tool, arguments, progress_callback=heard)
    assert scope.cancelled_caught


@pytest.mark.skipif(os.name == "nt", reason="no signals there: the command is killed")
@pytest.mark.parametrize(("then", "heeds"), [("sys.exit()", True), ("pass", False)])
def test_a_cancelled_command_is_asked_to_end_and_else_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str, heeds: bool
) -> None:
    note, pids = tmp_path / "note", []
    program = _WAITS.format(note=str(note), then="time.sleep(60)" if not heeds else then)
    monkeypatch.setattr(commands, "_START", program.replace("{", "{{").replace("}", "}}"))
    monkeypatch.setattr(commands, "_GRACE", 30 if heeds else 1)
    monkeypatch.setattr(commands, "_TICK", 0.1)
    original = commands._end

    async def ended(process: Any) -> None:
        pids.append(process.pid)
        await original(process)

    monkeypatch.setattr(commands, "_end", ended)
    anyio.run(cancelled_at, "halfway", "explain", {"name": "NPU110"})
    assert note.read_text() == "was asked to end"
    assert pids and not is_running(pids[0])


@pytest.mark.parametrize("client", PROTOCOLS)
async def test_a_cancelled_migration_leaves_nothing_and_the_server_goes_on(
    project: Path, client: dict[str, Any]
) -> None:
    for number in range(300):
        (project / f"m{number}.py").write_text("import torch\n" + "x = torch.ones(2).cuda()\n" * 20)
    arguments = {"project": "proj", "output": "out", "write": True, **V}

    async with Client(build(settings(project.parent)), **client) as session:
        with anyio.CancelScope() as scope:

            async def heard(progress: float, total: float | None, message: str | None) -> None:
                scope.cancel()

            await session.call_tool("migrate", arguments, progress_callback=heard)
        assert scope.cancelled_caught
        result = await session.call_tool("check", {"paths": ["proj/train.py"], **V})
        assert not result.is_error
    assert not (project.parent / "out" / "proj_msft").exists()
    assert [path.name for path in project.parent.iterdir() if path.name != "out"] == ["proj"]


def test_messages_speak_of_parameters_not_of_flags(project: Path) -> None:
    arguments = {"project": "proj", "output": "out", "write": True, **V}
    assert not asked("migrate", arguments, (project.parent,)).failed
    again = asked("migrate", arguments, (project.parent,))
    assert again.failed and "`replace: true`" in again.text and "--force" not in again.text
    assert not asked("migrate", {**arguments, "replace": True}, (project.parent,)).failed


async def test_the_language_of_the_server_is_that_of_its_commands(project: Path) -> None:
    chinese = settings(project.parent)._replace(language="zh")
    async with Client(build(chinese), **LEGACY) as session:
        result = await session.call_tool("check", {"paths": ["proj"], **V})
    answer = str(result.content[0].text)
    assert "没有" in answer
