"""The view of a project, the editor, ``check`` and the result page have the same findings."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend_rules.options.options import options_from
from tests.same_everywhere.doors import CAN, by_check, diagnostics_of, examined_files, read
from tests.server.lsp.editor import Editor, editing

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "examples" / "shapes_classifier"
SETTINGS: list[dict[str, Any]] = [{"version": "2.8.0"}, {"version": "2.8.0", "target": "mindspore"}]
FEWER = (40, 38)
"""There are more findings than these with the settings; an answer that is cut short would show."""
Found = Counter[tuple[str, str]]
"""How often each rule finds something in each file."""


async def by_view(editor: Editor) -> Found:
    """What the analysis of the workspace tells."""
    done = await editor.run("analyzeProject")
    assert done["status"] == "completed"
    return Counter((item["path"], item["code"]) for item in done["findings"])


async def by_editor(editor: Editor, root: Path) -> Found:
    """The diagnostics of every file."""
    found: Found = Counter()
    for path in examined_files(root):
        places = await diagnostics_of(editor, editor.open(path, read(path)))
        found.update((path.relative_to(root).as_posix(), place.code) for place in places)
    return found


@pytest.mark.parametrize(
    ("settings", "fewer"), list(zip(SETTINGS, FEWER, strict=True)), ids=["torch_npu", "mindspore"]
)
async def test_of_a_project(settings: dict[str, Any], fewer: int, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(SAMPLE, root)

    async with editing(root, settings={None: settings}, can=CAN) as editor:
        view, shown = await by_view(editor), await by_editor(editor, root)
    checked = by_check(root, options_from(settings), tmp_path / "copy").findings
    by_command = Counter((path, place.code) for path, places in checked.items() for place in places)
    assert view == shown == by_command
    assert view.total() > fewer


@pytest.mark.parametrize("settings", SETTINGS, ids=["torch_npu", "mindspore"])
async def test_of_a_result_which_is_opened_without_any_settings(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    root = tmp_path / "project"
    shutil.copytree(SAMPLE, root)

    async with editing(root, settings={None: {}}, can=CAN) as editor:
        options = {**settings, "inputPath": str(root), "outputPath": str(tmp_path / "out")}
        result = await editor.run("migrateProject", {"options": options})
    page = Counter((item["path"], item["code"]) for item in result["findings"])
    output = Path(result["outputPath"])
    async with editing(output, settings={None: {}}, can=CAN) as editor:
        view, shown = await by_view(editor), await by_editor(editor, output)
    assert page == view == shown
    assert page.total() > 10
