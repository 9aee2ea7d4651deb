"""How far an analysis of several folders is, and what is said of a parameter that names nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.lsp.commands.edit_commands import _uri
from gpu2ascend.lsp.commands.parameters import Parameters
from gpu2ascend.lsp.commands.project_commands import _AnalysisResults
from gpu2ascend.project.errors import ProjectError
from gpu2ascend.project.inspect.placed import PlacedFile


@pytest.mark.parametrize(
    ("folders", "finished", "done", "total", "expected"),
    [
        (1, 0, 0, 10, 0),
        (1, 0, 5, 10, 50),
        (1, 0, 0, 0, 0),
        (2, 0, 5, 10, 25),
        (2, 1, 0, 10, 50),
        (2, 1, 5, 10, 75),
        (3, 2, 4, 4, 100),
    ],
)
def test_of_the_progress_every_folder_is_as_much(
    folders: int, finished: int, done: int, total: int, expected: int
) -> None:
    results = _AnalysisResults("en", folders)
    for number in range(finished):
        results.add_folder(Path(str(number)), "2.8.0", None)
    assert results.percentage(PlacedFile("a.py", done=done, total=total)) == expected


def test_every_file_counts_once() -> None:
    results = _AnalysisResults("en", 1)
    for name in ("a.py", "b.py", "c.py"):
        results.add(Path("proj"), PlacedFile(name))
    assert results.result()["summary"]["files"] == 3


@pytest.mark.parametrize(("length", "shown"), [(100, 102), (198, 200), (199, 200), (5_000, 200)])
def test_of_a_wrong_document_the_beginning_is_shown(length: int, shown: int) -> None:
    with pytest.raises(ProjectError) as caught:
        _uri(Parameters({"uri": ["x" * (length - 2)]}))
    value = dict(caught.value.message.arguments)["value"]
    assert len(str(value)) == shown
