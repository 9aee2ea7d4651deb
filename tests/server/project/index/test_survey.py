"""The first look at a project: what it counts, and how much work it says there is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu2ascend.project.errors import CancelledError
from gpu2ascend.project.files.discover import LARGE, walk_near
from gpu2ascend.project.files.excludes import Excludes
from gpu2ascend.project.index.survey import Survey, available_cores, survey_project, worker_count
from tests.server.project.samples import make_tree

CONCERNED = "import torch\nx = torch.ones(1).cuda()\n"
IDLE = "import os\nprint(os.getcwd())\n"


def surveyed(root: Path, *copied: str) -> Survey:
    return survey_project(root, Excludes((), copied), lambda number, name: None, lambda: False)


def sparse(path: Path, size: int) -> None:
    """A file of so many bytes that takes no room."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, size)


def test_files_are_counted_and_those_of_python_apart(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": CONCERNED, "b/c.py": IDLE, "notes.md": "x", "run.sh": "ls\n"})
    found = surveyed(root)
    assert (found.files, found.python_files, found.is_complete) == (4, 2, True)


def test_what_no_rule_can_concern_is_an_eighth_of_the_work(tmp_path: Path) -> None:
    concerned = surveyed(make_tree(tmp_path / "a", {"a.py": CONCERNED * 8}))
    idle = surveyed(make_tree(tmp_path / "b", {"a.py": IDLE * 8}))
    assert concerned.work == len(CONCERNED) * 8
    assert idle.work == len(IDLE)
    both = surveyed(make_tree(tmp_path / "c", {"a.py": CONCERNED * 8, "b.py": IDLE * 8}))
    assert both.work == concerned.work + idle.work


def test_python_that_is_copied_as_it_is_is_read_but_is_no_work(tmp_path: Path) -> None:
    found = surveyed(make_tree(tmp_path, {"a.py": CONCERNED, "old/b.py": CONCERNED}), "old")
    assert (found.python_files, found.work) == (2, len(CONCERNED))


def test_large_files_are_told_with_their_bytes_and_the_first_names(tmp_path: Path) -> None:
    for number in range(5):
        sparse(tmp_path / f"data/{number}.bin", LARGE + number)
    found = surveyed(tmp_path).large
    assert (found.number, found.size) == (5, 5 * LARGE + 10)
    assert found.names == ("data/0.bin", "data/1.bin", "data/2.bin")


def test_small_files_are_told_by_the_folders_with_the_most_of_them(tmp_path: Path) -> None:
    for name, size in (("a/x/1", 10), ("a/2", 30), ("b/3", 90), ("4", 20), ("c/5", 5)):
        sparse(tmp_path / f"{name}.bin", size)
    sparse(tmp_path / "c/large.bin", LARGE)
    found = surveyed(tmp_path).small
    assert (found.number, found.size) == (5, 155)
    assert found.folders == (("b", 90), ("a", 40), (".", 20))


def test_where_a_folder_was_not_entered_a_survey_is_not_of_all(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": IDLE, "b/c.py": IDLE, "d/e.py": IDLE})

    def near(folders: int) -> Survey:
        entries = walk_near(root, "", Excludes(()), folders)
        return survey_project(root, Excludes(()), lambda n, name: None, lambda: False, entries=entries)

    assert (near(3).python_files, near(3).is_complete) == (3, True)
    assert (near(2).python_files, near(2).is_complete) == (2, False)


def test_a_file_over_the_limit_is_counted_and_not_read(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": CONCERNED})
    found = survey_project(root, Excludes(()), lambda n, name: None, lambda: False, max_bytes=5)
    assert (found.python_files, found.work) == (1, 0)


def test_progress_has_the_number_so_far_and_the_name(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": IDLE, "b.md": "x"})
    seen: list[tuple[int, str]] = []
    survey_project(root, Excludes(()), lambda number, name: seen.append((number, name)), lambda: False)
    assert seen == [(1, "a.py"), (2, "b.md")]


def test_a_survey_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": IDLE, "b.py": IDLE})
    seen: list[str] = []
    with pytest.raises(CancelledError):
        survey_project(root, Excludes(()), lambda n, name: seen.append(name), lambda: bool(seen))
    assert seen == ["a.py"]


@pytest.mark.parametrize(
    ("jobs", "work", "files", "expected"),
    [
        pytest.param(4, 10_000_000, 100, 4, id="at most what is asked for"),
        pytest.param(4, 10_000_000, 2, 2, id="a file each"),
        pytest.param(4, 800_000, 100, 2, id="enough work each"),
        pytest.param(4, 0, 100, 1, id="one for what is little"),
        pytest.param(4, 10_000_000, 0, 1, id="one for nothing"),
    ],
)
def test_as_many_processes_as_are_worth_it(jobs: int, work: int, files: int, expected: int) -> None:
    assert worker_count(jobs, work, files) == expected


def test_without_a_number_there_is_a_process_for_each_core() -> None:
    assert worker_count(0, 10**12, 10**6) == available_cores()
