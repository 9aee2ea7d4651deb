"""What killed migrations have left is deleted, and nothing that lacks any of the marks of it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.leftovers import remove_tree
from gpu2ascend.project.manifest.ledger import Ledger
from gpu2ascend.project.manifest.marker import PLAN_NAME, Marker, write_marker
from gpu2ascend.project.migrate.staging import new_staging, remove_abandoned

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="directories cannot be locked")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where an output goes."""
    return tmp_path / "proj_msft"


@pytest.fixture
def left(target: Path) -> Path:
    """What a migration to the target has left when it was killed: one of two planned files."""
    staging = new_staging(target)
    ledger = Ledger(staging.path)
    ledger.plan("a.py", "b.py")
    (staging.path / "a.py").write_text("x = 1\n")
    ledger.close()
    staging.release()  # as the system does
    return staging.path


def test_what_a_killed_migration_left_is_deleted(target: Path, left: Path) -> None:
    assert left.is_dir()
    remove_abandoned(target)
    assert not left.exists()


def test_so_is_what_was_left_before_anything_was_planned(target: Path) -> None:
    staging = new_staging(target)
    staging.release()
    assert staging.path.is_dir()
    remove_abandoned(target)
    assert not staging.path.exists()


def test_what_a_process_still_holds_stays(target: Path) -> None:
    staging = new_staging(target)
    remove_abandoned(target)
    assert staging.path.is_dir()
    staging.release()


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="the system does not list open files")
def test_looking_leaves_nothing_open(target: Path, left: Path) -> None:
    staging = new_staging(target)
    before = sorted(Path("/dev/fd").iterdir())
    remove_abandoned(target)
    assert not left.exists()
    assert sorted(Path("/dev/fd").iterdir()) == before
    staging.release()


def renamed(name: Callable[[str], str]) -> Callable[[Path], Path]:
    return lambda left: left.rename(left.with_name(name(left.name)))


@pytest.mark.parametrize(
    "rename",
    [
        pytest.param(renamed(lambda name: name + "x"), id="longer"),
        pytest.param(renamed(lambda name: name[:-1]), id="shorter"),
        pytest.param(renamed(lambda name: name[:-1] + "X"), id="a capital"),
        pytest.param(renamed(lambda name: name.replace("proj", "other")), id="of another output"),
        pytest.param(renamed(lambda name: name.removeprefix(".")), id="not hidden"),
    ],
)
def test_what_has_another_name_stays(target: Path, left: Path, rename: Callable[[Path], Path]) -> None:
    place = rename(left)
    remove_abandoned(target)
    assert (place / "a.py").is_file()


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_what_others_can_write_to_stays(target: Path, left: Path, mode: int) -> None:
    left.chmod(mode)
    remove_abandoned(target)
    assert (left / "a.py").is_file()


def test_what_belongs_to_another_user_stays(
    target: Path, left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: left.stat().st_uid + 1)
    remove_abandoned(target)
    assert (left / "a.py").is_file()


def test_a_copy_of_it_stays(target: Path, left: Path) -> None:
    """The marker names the directory that it was written into, which no copy is."""
    copy = left.with_name(f".{target.name}-aaaaaaaa")
    shutil.copytree(left, copy)
    copy.chmod(0o700)
    remove_abandoned(target)
    assert (copy / "a.py").is_file()
    assert not left.exists()


@pytest.mark.parametrize(
    "marked",
    [
        pytest.param(lambda status: None, id="none"),
        pytest.param(lambda status: (status.st_dev, status.st_ino + 1), id="another inode"),
        pytest.param(lambda status: (status.st_dev + 1, status.st_ino), id="another device"),
    ],
)
def test_what_its_marker_does_not_name_stays(
    target: Path, left: Path, marked: Callable[[os.stat_result], tuple[int, int] | None]
) -> None:
    write_marker(left, Marker("0", (), staging=marked(left.stat())))
    remove_abandoned(target)
    assert (left / "a.py").is_file()


def test_what_has_no_marker_stays(target: Path) -> None:
    mine = target.with_name(f".{target.name}-abcdefgh")
    mine.mkdir(mode=0o700)
    remove_abandoned(target)
    assert mine.is_dir()


def test_a_link_to_it_stays_and_so_does_what_it_leads_to(target: Path, left: Path) -> None:
    elsewhere = left.rename(left.with_name("elsewhere"))
    left.symlink_to(elsewhere)
    elsewhere.chmod(0o500)
    remove_abandoned(target)
    assert left.is_symlink()
    assert elsewhere.stat().st_mode & 0o777 == 0o500
    assert (elsewhere / "a.py").is_file()


@pytest.mark.parametrize("name", ["mine.txt", "sub/a.py", "a.py.bak", "b.py/c"])
def test_what_holds_anything_that_was_not_planned_stays(target: Path, left: Path, name: str) -> None:
    (left / name).parent.mkdir(exist_ok=True)
    (left / name).write_text("mine")
    remove_abandoned(target)
    assert (left / name).read_text() == "mine"


@pytest.mark.parametrize("name", ["b.py", PLAN_NAME])
def test_what_is_no_file_link_or_directory_stays(target: Path, left: Path, name: str) -> None:
    """A pipe under a planned name was put there by someone else."""
    (left / name).unlink(missing_ok=True)
    os.mkfifo(left / name)
    remove_abandoned(target)
    assert left.is_dir()


def test_one_that_stays_keeps_no_other(target: Path, left: Path) -> None:
    for name in ("00000000", "zzzzzzzz"):
        target.with_name(f".{target.name}-{name}").mkdir(mode=0o700)
    remove_abandoned(target)
    assert sorted(path.name[-8:] for path in target.parent.iterdir()) == ["00000000", "zzzzzzzz"]


def test_where_there_is_no_directory_nothing_happens(tmp_path: Path) -> None:
    remove_abandoned(tmp_path / "missing" / "proj_msft")
    assert list(tmp_path.iterdir()) == []


def test_one_that_cannot_be_opened_stays_and_ends_nothing(
    target: Path, left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: object, *arguments: int) -> int:
        if path == left:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    remove_abandoned(target)
    assert (left / "a.py").is_file()


def test_before_a_tree_is_removed_each_directory_in_it_can_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is root may remove anything; others could not."""
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    places = [tree, tree / "a", tree / "a" / "b"]
    for place in reversed(places):
        place.chmod(0o500)
    modes: list[int] = []
    monkeypatch.setattr(
        shutil, "rmtree", lambda path, **_: modes.extend(place.stat().st_mode & 0o777 for place in places)
    )
    remove_tree(tree)
    assert modes == [0o700] * 3


def test_to_remove_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    remove_tree(tmp_path / "missing")
    assert list(tmp_path.iterdir()) == []
