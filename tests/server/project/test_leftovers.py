"""What a killed process has left beside a file is known by its name, its owner, and that nobody holds it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gpu2ascend.project.leftovers import (
    is_leftover_name,
    leftovers_of,
    remove_leftover,
    remove_unlocked,
    scratch_folder,
    temporary_sibling,
)


def left(directory: Path, name: str = ".a.py.77-0123abcd.gpu2ascend") -> Path:
    path = directory / name
    path.write_bytes(b"new")
    return path


def test_a_file_beside_another_is_gone_in_the_end(tmp_path: Path) -> None:
    with temporary_sibling(tmp_path / "a.py") as (aside, file):
        file.write(b"new")
        assert is_leftover_name(aside.name) and leftovers_of(tmp_path / "a.py") == [aside]
    assert list(tmp_path.iterdir()) == []


def test_two_files_beside_the_same_one_are_two(tmp_path: Path) -> None:
    with temporary_sibling(tmp_path / "a.py") as (one, _), temporary_sibling(tmp_path / "a.py") as (other, _):
        assert one != other


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        (".a.py.77-0123abcd.gpu2ascend", True),
        (".a.py.77.gpu2ascend", True),
        (".line\nend.py.77.gpu2ascend", True),
        ("a.py.77.gpu2ascend", False),
        (".a.py.gpu2ascend", False),
        (".77.gpu2ascend", False),
        (".a.py.77-0123.gpu2ascend", False),
        (".a.py.77.gpu2ascend.py", False),
        (".gpu2ascend", False),
    ],
)
def test_the_name_says_what_it_may_be(name: str, is_one: bool) -> None:
    assert is_leftover_name(name) is is_one


def test_what_nobody_holds_is_removed(tmp_path: Path) -> None:
    path = left(tmp_path)
    remove_leftover(path)
    assert not path.exists()


def test_what_a_process_is_writing_stays(tmp_path: Path) -> None:
    with temporary_sibling(tmp_path / "a.py") as (aside, _):
        remove_leftover(aside)
        assert aside.exists()


def test_a_file_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = left(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    remove_leftover(path)
    assert path.exists()


def test_a_file_of_another_name_stays(tmp_path: Path) -> None:
    path = left(tmp_path, "notes.gpu2ascend")
    remove_leftover(path)
    assert path.exists()


def test_a_link_is_not_followed_and_stays(tmp_path: Path) -> None:
    target = left(tmp_path, "precious")
    link = tmp_path / ".a.py.77.gpu2ascend"
    link.symlink_to(target)
    remove_leftover(link)
    assert link.is_symlink() and target.exists()


KILLED = """
import os, signal
from gpu2ascend.project.leftovers import new_scratch
(new_scratch().path / "big").write_bytes(b"0")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_of_a_killed_process_goes_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "big").exists()
    with scratch_folder() as one, scratch_folder() as other:
        assert sorted(tmp_path.iterdir()) == sorted([one, other]), "what a process still uses stays"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_another_name_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "gpu2ascend-notes").mkdir()
    with scratch_folder():
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["gpu2ascend-notes"]


def test_what_is_needed_stays(tmp_path: Path) -> None:
    for name in ("env-old", "env-whole"):
        (tmp_path / name).mkdir()
    remove_unlocked(tmp_path, "env-", lambda path: path.name == "env-whole")
    assert [path.name for path in tmp_path.iterdir()] == ["env-whole"]
