"""The server as clients start it, with answers that stay short."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from gpu2ascend.texts.answers.budget import BUDGET, tokens

from .conftest import Ask, V

pytestmark = pytest.mark.slow

MANY = 5_000


async def test_the_command_serves_a_client_over_its_standard_streams(project: Path) -> None:
    arguments = ["-m", "gpu2ascend", "mcp", "--root", str(project.parent)]

    transport = stdio_client(StdioServerParameters(command=sys.executable, args=arguments))
    async with Client(transport) as session:
        called = await session.call_tool("check", {"paths": ["proj"], **V})
        page = await session.read_resource("gpu2ascend://explain/NPU110")
        prompt = await session.get_prompt("finish_what_is_left", {"project": "proj"})
    assert called.structured_content is not None and called.structured_content["total"] == 2
    assert page.contents[0].text.startswith("NPU110")  # type: ignore[union-attr]
    assert "proj" in prompt.messages[0].content.text  # type: ignore[union-attr]


def test_answers_are_short_however_much_is_found(ask: Ask, project: Path) -> None:
    lines = "x = torch.ones(2).cuda()\ntorch.cuda.comm.broadcast(x, [0, 1])\n"
    for number in range(MANY // 100):
        (project / f"m{number}.py").write_text("import torch\n" + lines * 50)
    assert ask("check", paths=["proj"], **V).data["total"] >= MANY
    out = {"project": "proj", "output": "out", "write": True, **V}
    for tool, arguments in (
        ("check", {"paths": ["proj"], "limit": 200, **V}),
        ("fix", {"paths": ["proj"], "offset": 50_000, **V}),
        ("migrate", {"project": "proj", **V}),
        ("migrate", out),
        ("what_is_left", {"project": "out/proj_msft", "limit": 20}),
        ("explain", {"name": "NPU101"}),
    ):
        answer = ask(tool, **arguments)
        assert not answer.failed, answer.text
        assert tokens(answer.text) <= BUDGET, tool
        assert tokens(json.dumps(answer.data, ensure_ascii=False)) <= BUDGET, tool


def test_the_rest_of_many_findings_is_reached(ask: Ask, project: Path) -> None:
    (project / "many.py").write_text("import torch\n" + "x = torch.ones(2).cuda()\n" * 60)
    seen, offset = [], 0
    while offset is not None:
        page = ask("check", paths=["proj/many.py"], offset=offset, limit=200, **V).data
        seen += [item["line"] for item in page["findings"]]
        offset = page["next_offset"]
    assert sorted(seen) == list(range(2, 62))
