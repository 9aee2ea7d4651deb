"""What the documentation says to paste starts the server."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[3] / "docs"
PAGES = (DOCS / "agents.md", DOCS / "agents.zh-CN.md")
_BLOCK = re.compile(r"^```(json|toml|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def command_lines(path: Path) -> list[list[str]]:
    """The command that each configuration of a page starts."""
    found = []
    for language, text in _BLOCK.findall(path.read_text(encoding="utf-8")):
        if language == "sh":
            found += [
                shlex.split(line)[5:] for line in text.splitlines() if line.startswith("claude mcp add")
            ]
            continue
        (servers,) = (json.loads if language == "json" else tomllib.loads)(text).values()
        found += [[server["command"], *server["args"]] for server in servers.values()]
    return found


def test_both_pages_have_a_configuration_for_each_client() -> None:
    english, chinese = map(command_lines, PAGES)
    assert english == chinese and len(english) == 4
    text = PAGES[0].read_text(encoding="utf-8")
    assert [name for name in ("VS Code", "Claude Code", "Codex", "Cursor", "Cline") if name not in text] == []


def test_each_configuration_starts_the_server(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\ntorch.ones(1).cuda()\n")
    lines = [[word.replace("${workspaceFolder}", ".") for word in line] for line in command_lines(PAGES[0])]
    for program, *arguments in {tuple(line) for line in lines}:
        assert program == "gpu2ascend"
        started = StdioServerParameters(
            command=sys.executable, args=["-I", "-m", program, *arguments], cwd=tmp_path
        )

        async def main(started: StdioServerParameters = started) -> int:
            async with Client(stdio_client(started)) as session:
                result = await session.call_tool("check", {"paths": ["train.py"], "version": "2.8.0"})
            assert result.structured_content is not None
            return int(result.structured_content["total"])

        assert anyio.run(main) == 1
