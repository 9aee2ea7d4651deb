"""Work orders for an agent: of all that is left in a folder or of chosen findings, as the editor has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend_rules.model.versions import NEWEST

from ..editor import editing

pytestmark = pytest.mark.slow

STUCK = "import torch\n\n\ndef load(x):\n    return torch.cuda.get_sync_debug_mode()\n"
BOTH = "import torch\n\ntorch.cuda.set_sync_debug_mode(1)\ntorch.cuda.synchronize()\n"


async def asked(project: Path, parameters: dict[str, object], **unsaved: str) -> Any:
    async with editing(project, initialization_options={"version": "2.8.0"}) as editor:
        for name, text in unsaved.items():
            editor.open(project / f"{name}.py", text)
        return await editor.ask("gpu2ascend/handover", {"folder": str(project), **parameters})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text(STUCK)
    (folder / "b.py").write_text(BOTH)
    return folder


def chosen(file: Path, line: int, code: str) -> dict[str, object]:
    return {"file": str(file), "line": line, "cell": None, "code": code}


async def test_all_that_is_left_is_handed_over(project: Path) -> None:
    result = await asked(project, {})
    assert result["status"] == "completed" and result["torch"] == "2.8.0"
    paths = {place["path"] for order in result["orders"] for place in order["places"]}
    assert paths == {"a.py", "b.py"}


async def test_without_a_version_the_newest_counts_as_for_a_check(project: Path) -> None:
    async with editing(project, settings={None: {"version": None}}) as editor:
        result = await editor.ask("gpu2ascend/handover", {"folder": str(project)})
    assert result["status"] == "completed" and result["torch"] == str(NEWEST) and result["orders"]


async def test_a_chosen_finding_is_one_order_with_its_line_alone(project: Path) -> None:
    everything = (await asked(project, {}))["orders"]
    wanted = next(order for order in everything if order["places"][0]["path"] == "b.py")
    place = wanted["places"][0]
    result = await asked(project, {"findings": [chosen(project / "b.py", place["line"] - 1, wanted["code"])]})
    (order,) = result["orders"]
    assert (order["id"], order["places"]) == (wanted["id"], [place])
    assert f"`b.py:{place['line']}`: `{place['code']}`" in result["prompt"]
    assert str(project) in result["prompt"] and order["check"] in result["prompt"]


async def test_the_text_in_the_editor_counts(project: Path) -> None:
    result = await asked(project, {}, a="import torch\n")
    assert {place["path"] for order in result["orders"] for place in order["places"]} == {"b.py"}


@pytest.mark.parametrize(
    "wrong", [{"file": 1}, "b.py", {"file": "/elsewhere/b.py", "line": 2, "code": "NPU101"}, None]
)
async def test_what_names_no_finding_of_the_folder_is_none(project: Path, wrong: object) -> None:
    assert (await asked(project, {"findings": [wrong]}))["orders"] == []


async def test_a_folder_that_is_gone_is_said_to_be(project: Path) -> None:
    result = await asked(project, {"folder": str(project / "gone")})
    assert result["status"] == "failed" and "gone" in result["message"]


async def test_an_analysis_examines_the_files_that_are_named(project: Path) -> None:
    async with editing(project, initialization_options={"version": "2.8.0"}) as editor:
        everything = await editor.run("analyzeProject")
        one = await editor.run("analyzeProject", {"paths": [str(project / "a.py")]})
        none = await editor.run("analyzeProject", {"paths": [str(project.parent / "other.py")]})
    assert everything["summary"]["files"] == 2 and none["summary"]["files"] == 0
    assert one["findings"] == [item for item in everything["findings"] if item["path"] == "a.py"] != []
