"""The chat of an editor gets what the MCP server answers: the same keys, with the same meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from gpu2ascend.agents.tools.orders import Orders
from gpu2ascend.agents.tools.results import Findings, TextPage, Verified
from gpu2ascend.lsp.commands.parameters import Parameters
from gpu2ascend.lsp.commands.results.answers import run

from ..editor import editing

pytestmark = pytest.mark.slow

STUCK = "import torch\n\ntorch.cuda.comm.broadcast(x, [0, 1])\ny = x.cuda()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.py").write_text(STUCK)
    return folder


async def asked(project: Path, request: str, **parameters: Any) -> Any:
    async with editing(project, initialization_options={"version": "2.8.0"}) as editor:
        return await editor.ask(request, {"folder": str(project), **parameters})


def of_shape(model: type[BaseModel], answer: Any) -> Any:
    assert answer.keys() == model.model_fields.keys()
    return model.model_validate(answer)


async def test_findings_come_in_pages_the_gravest_first(project: Path) -> None:
    answer = {"limit": 1, "offset": 1, "root": str(project)}
    found = of_shape(Findings, (await asked(project, "gpu2ascend/analyze", answer=answer))["answer"])
    assert (found.total, found.counts.error, found.next_offset) == (4, 2, 2)
    (item,) = found.findings
    assert (item.path, item.line, item.severity, item.fix) == ("b.py", 3, "error", None)


async def test_findings_of_a_rule_alone_have_what_its_fix_does(project: Path) -> None:
    found = of_shape(
        Findings, (await asked(project, "gpu2ascend/analyze", answer={"code": "NPU110"}))["answer"]
    )
    assert {item.code for item in found.findings} == {"NPU110"}
    assert all(item.fix == "safe" and item.fix_title for item in found.findings)
    assert Path(found.findings[0].path).is_absolute()


async def test_orders_are_those_of_the_tool(project: Path) -> None:
    result = await asked(project, "gpu2ascend/handover", answer={"limit": 1, "root": str(project.parent)})
    left = of_shape(Orders, result["answer"])
    assert left.project == "project" and left.total == len(result["orders"]) and len(left.orders) == 1
    one = (await asked(project, "gpu2ascend/handover", answer={"order": left.orders[0].id}))["answer"]
    assert [order["id"] for order in one["orders"]] == [left.orders[0].id]


async def test_an_order_that_is_not_known_says_which_there_are(project: Path) -> None:
    result = await asked(project, "gpu2ascend/handover", answer={"order": "NPU101-00000000"})
    assert result["status"] == "failed" and "Orders: NPU" in result["message"]


async def test_without_being_asked_for_there_is_no_answer(project: Path) -> None:
    assert "answer" not in await asked(project, "gpu2ascend/handover")


async def test_an_explanation_is_a_piece_of_a_page(project: Path) -> None:
    async with editing(project, initialization_options={"version": "2.8.0"}) as editor:
        result = await editor.run("explain", {"name": "NPU101", "answer": {}})
    of_shape(TextPage, result["answer"])


def test_a_run_has_its_failure_with_whose_fault_it_is() -> None:
    place = {"path": "a.py", "line": 3}
    failure = {"type": "E", "text": "t", "place": place, "fault": "project", "rules": [], "named_rules": []}
    done = {
        "passed": False, "verdict": "FAILED", "ending": "exited", "steps": {"asked": 3, "done": 0},
        "ranks": [], "comparison": None,
        "failure": {**failure, "cause": "why", "remedy": None, "because": None},
    }  # fmt: skip
    answer = of_shape(Verified, run(done, Parameters({}), {}))
    assert answer.failure.place == "a.py:3" and answer.failure.explanation == ["why"]
    assert answer.report == "FAILED"
