"""How a file stands on the page, and how much of it is done."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report.html.model import FileRecord, FileState
from gpu2ascend.project.report.result import FileStatus

TROUBLES = [FileStatus.UNPARSABLE, FileStatus.UNDECODABLE]


@pytest.mark.parametrize(
    ("counts", "share", "state"),
    [
        ({}, None, FileState.UNTOUCHED),
        ({"hints": 3}, None, FileState.UNTOUCHED),
        ({"edits": 2}, 100, FileState.MIGRATED),
        ({"edits": 2, "hints": 3}, 100, FileState.MIGRATED),
        ({"edits": 2, "errors": 1}, 66, FileState.BLOCKED),
        ({"edits": 1, "open": 1}, 50, FileState.OPEN),
        ({"edits": 1, "kernels": 2}, 33, FileState.OPEN),
        ({"errors": 1}, 0, FileState.BLOCKED),
        ({"open": 1, "errors": 1}, 0, FileState.BLOCKED),
    ],
)
def test_of_a_file_that_was_examined_the_places_that_are_done_count(
    counts: dict[str, int], share: int | None, state: FileState
) -> None:
    file = FileRecord("a.py", FileStatus.CHANGED, **counts)
    assert (file.share, file.state) == (share, state)


@pytest.mark.parametrize("status", TROUBLES)
@pytest.mark.parametrize("counts", [{}, {"edits": 2}, {"edits": 1, "errors": 1}, {"open": 1}])
def test_of_a_file_that_could_not_be_examined_no_share_is_known(
    status: FileStatus, counts: dict[str, int]
) -> None:
    file = FileRecord("a.py", status, **counts)
    assert file.share is None and file.state is FileState.TROUBLED
    assert FileRecord("a.py", FileStatus.CHANGED, edits=1).share is not None
