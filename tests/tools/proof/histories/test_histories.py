"""The proof on histories sees a lost edit, a conflict that git has not, and a merge that broke a file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gpu2ascend.project.report.merge import Conflict, Lines, Merge
from gpu2ascend_rules.model.finding import Message
from tests.server.project.samples import Files, make_tree
from tools.proof.histories.__main__ import broken, commits, examined, line, reasons
from tools.proof.histories.hands import Hands

BODY = "".join(f"line_{number} = {number}\n" for number in range(30))


def commit(repository: Path, files: Files, when: str) -> None:
    """Commit files at a time."""
    make_tree(repository, files)
    variables = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    names = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (("add", "-A"), ("commit", "-q", "-m", "x")):
        command = ["git", "-C", str(repository), *words]
        subprocess.run(command, check=True, env={**os.environ, **variables, **names})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A year of a project."""
    place = tmp_path / "history"
    place.mkdir()
    try:
        subprocess.run(["git", "init", "-q", str(place)], check=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    code = f"import torch\n\n{BODY}torch.cuda.synchronize()\n"
    commit(place, {"a.py": code, "b.py": code, "same.py": BODY}, "2024-01-01T00:00:00Z")
    commit(place, {"c.py": BODY}, "2024-02-01T00:00:00Z")
    commit(place, {"a.py": code.replace("line_7 = 7", "line_7 = 70")}, "2025-01-01T00:00:00Z")
    return place


def test_the_older_commit_is_half_a_year_before_the_last(repository: Path) -> None:
    old, new = commits(repository)
    dates = [
        subprocess.run(
            ["git", "-C", str(repository), "show", "-s", "--format=%cs", number],
            capture_output=True,
            text=True,
        ).stdout.strip()
        for number in (old, new)
    ]
    assert dates == ["2024-02-01", "2025-01-01"]


def test_a_history_is_migrated_edited_and_updated(repository: Path, tmp_path: Path) -> None:
    row, _ = examined(repository, tmp_path / "work", python=None)
    assert (row.project, row.changed, row.lost, row.unparsable, row.more_than_git) == ("history", 1, 0, 0, 0)
    assert row.by_hand == 3 and row.merged + row.conflicts == 1
    assert line(row).startswith("| history | ")


def test_a_lost_edit_is_seen(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.py": BODY, "b.py": BODY})
    hands = Hands(tmp_path, "seed")
    hands.edit(["a.py", "b.py"], 2)
    assert len(hands.words) == 4 and hands.lost() == []
    (tmp_path / "a.py").write_text(BODY)
    assert len(hands.lost()) == 2


def test_conflicts_are_told_apart_and_a_broken_merge_is_seen(tmp_path: Path) -> None:
    ids = ("lines", "gone", "content")
    conflicts = tuple(Conflict("a.py", Message.of(f"update.conflict-{name}"), (Lines(1, 5),)) for name in ids)
    merge = Merge(
        merged=("a.py",),
        conflicts=conflicts,
        new=(),
        gone=(),
        renamed=(),
        updated=0,
        yours=0,
        kept_reports=(),
    )
    assert reasons(merge) == (1, 1, 1)
    sides = [make_tree(tmp_path / name, {"a.py": BODY}) for name in ("before", "fresh")]
    assert broken(merge, make_tree(tmp_path / "out", {"a.py": "def f(:\n"}), *sides) == ["a.py"]
    assert broken(merge, make_tree(tmp_path / "out", {"a.py": BODY}), *sides) == []
