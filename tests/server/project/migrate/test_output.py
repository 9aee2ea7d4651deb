"""The output appears whole or not at all: full disks and refusals at any write."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpu2ascend.project.errors import OutputError
from gpu2ascend.project.files.writing import copying
from gpu2ascend.project.index import survey
from gpu2ascend.project.leftovers import remove_tree
from gpu2ascend.project.manifest.ledger import Ledger
from gpu2ascend.project.manifest.marker import MARKER_NAME
from gpu2ascend.project.migrate import output
from gpu2ascend.project.migrate.output import OutputTree
from gpu2ascend.project.migrate.staging import new_staging
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, PLAIN, Files, make_tree, names, tree

Make = Callable[[Files], Path]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no permission to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


BIG = "x = '" + "y" * 400_000 + "'\n"
FULL = {
    "a Python file": {"a.py": CUDA + BIG},
    "a copied file": {"a.py": CUDA, "data.bin": BIG},
    "many small files": {f"p/m{number}.py": PLAIN for number in range(300)},
    "the log": {"a.py": "import torch\n" + "torch.cuda.comm.broadcast(x)\n" * 1_500},
}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("what", FULL)
def test_a_full_disk_leaves_nothing(
    run: Migrate, make: Make, small_disk: Path, monkeypatch: pytest.MonkeyPatch, what: str, jobs: int
) -> None:
    monkeypatch.setattr(survey, "_WORTH_A_WORKER", 1)
    root = make({**FULL[what], "z.py": CUDA})
    with pytest.raises(OutputError) as caught:
        run(root, output=small_disk / "new" / "out", jobs=jobs)
    assert caught.value.message.id == "project.disk-full"
    assert names(small_disk) == []


def test_a_full_disk_does_not_cost_the_earlier_output(run: Migrate, make: Make, small_disk: Path) -> None:
    root = make({"a.py": CUDA})
    run(root, output=small_disk)
    before = tree(small_disk)
    make({"big.bin": BIG})
    with pytest.raises(OutputError):
        run(root, output=small_disk, force=True)
    assert tree(small_disk) == before and names(small_disk) == ["proj_msft"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("after", range(3))
def test_a_write_that_fails_leaves_nothing(
    run: Migrate, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, after: int
) -> None:
    root = make({"a.py": CUDA, "b.txt": "", "c.py": PLAIN})
    calls = iter([False] * after)
    real = copying._create

    def create(path: str) -> object:
        if next(calls, True):
            raise OSError(number, os.strerror(number), path)
        return real(path)

    monkeypatch.setattr(copying, "_create", create)
    with pytest.raises(OutputError) as caught:
        run(root)
    is_full = number in (errno.ENOSPC, errno.EDQUOT)
    assert caught.value.message.id == ("project.disk-full" if is_full else "project.cannot-write")
    assert not (tmp_path / "out").exists()


def test_directories_that_were_there_stay(run: Migrate, make: Make, tmp_path: Path) -> None:
    make_tree(tmp_path / "out", {"mine.txt": "mine"})
    with pytest.raises(OutputError):
        run(make({"a.py": CUDA}), output=tmp_path / "out" / "mine.txt" / "deep")
    assert tree(tmp_path / "out") == {"mine.txt": b"mine"}


@pytest.mark.skipif(sys.platform == "win32", reason="the longest path of POSIX")
def test_of_a_path_that_is_too_long_no_part_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed while it makes them would leave a tree that many programs cannot remove."""
    made: list[Path] = []
    monkeypatch.setattr(Path, "mkdir", lambda path, *_, **__: made.append(path))
    with pytest.raises(OutputError):
        OutputTree(tmp_path.joinpath(*["x" * 200] * 30), 0o755, force=False).create()
    assert made == []


def test_nothing_is_at_its_place_before_the_end(tmp_path: Path) -> None:
    tree_ = OutputTree(tmp_path / "out" / "x_msft", 0o755, force=False)
    tree_.create()
    (tree_.directory / "a").write_text("a")
    assert not (tmp_path / "out" / "x_msft").exists()
    assert tree_.directory.stat().st_mode & 0o777 == 0o700
    tree_.commit()
    tree_.discard()
    assert names(tmp_path / "out") == ["x_msft"] and names(tmp_path / "out" / "x_msft") == [MARKER_NAME, "a"]


def test_what_came_into_the_place_meanwhile_is_not_touched(tmp_path: Path) -> None:
    tree_ = OutputTree(tmp_path / "x_msft", 0o755, force=True)
    tree_.create()
    make_tree(tmp_path / "x_msft", {"mine": "mine"})
    with pytest.raises(OutputError):
        tree_.commit()
    tree_.discard()
    assert tree(tmp_path) == {"x_msft/mine": b"mine"}


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_the_earlier_output_survives_a_failed_swap(
    run: Migrate, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """Three renames where the system cannot exchange two directories: the old one aside, the new one in; and
    the old one back when that fails."""
    monkeypatch.setattr(output, "exchanged", lambda one, other: False)
    root = make({"a.py": CUDA})
    run(root)
    (tmp_path / "out/proj_msft/precious").write_text("x")
    calls = 0
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if (calls >= failing and calls != 3) or (failing == 3 and calls >= 2):
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OutputError):
        run(root, force=True, discard_changes=True)
    assert [name for name in tree(tmp_path / "out") if name.endswith("precious")]
    if failing < 3:
        assert names(tmp_path / "out") == ["proj_msft"]


def test_read_only_trees_can_be_removed(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", {"a/b/c": "", "outside": ""})
    (tmp_path / "kept").mkdir(mode=0o500)
    (root / "link").symlink_to(tmp_path / "kept")
    (root / "a/b").chmod(0o500)
    (root / "a").chmod(0o500)
    remove_tree(root)
    assert names(tmp_path) == ["kept"]
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o500


def test_the_tree_cannot_be_used_before_it_is_made(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        _ = output.OutputTree(tmp_path, 0o755, force=False).directory


def test_what_a_killed_migration_left_goes_with_the_next(tmp_path: Path) -> None:
    target = tmp_path / "proj_msft"
    left = new_staging(target)
    ledger = Ledger(left.path)
    ledger.plan("sub", "sub/a.py")
    make_tree(left.path / "sub", {"a.py": CUDA})
    ledger.close()
    left.release()  # as the system does when a process is killed
    tree = OutputTree(target, 0o755, force=False)
    tree.create()
    assert [path.name for path in tmp_path.iterdir()] == [tree.directory.name]
    tree.discard()


def test_what_is_still_built_or_not_ours_stays(tmp_path: Path) -> None:
    target = tmp_path / "proj_msft"
    other = new_staging(target)
    alike = make_tree(tmp_path / ".proj_msft-abcdefgh", {"a.py": CUDA})
    linked = tmp_path / ".proj_msft-ijklmnop"
    linked.symlink_to(make_tree(tmp_path / "elsewhere", {MARKER_NAME: '{"tool": "gpu2ascend"}'}))
    tree = OutputTree(target, 0o755, force=False)
    tree.create()
    assert other.path.is_dir() and alike.is_dir() and linked.is_symlink()
    assert (tmp_path / "elsewhere" / MARKER_NAME).is_file()
    tree.discard()
    other.release()
