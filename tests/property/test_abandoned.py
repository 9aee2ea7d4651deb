"""What may be deleted: a directory that has every mark of what a killed migration left, and none less."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpu2ascend import __version__
from gpu2ascend.project.manifest.ledger import Ledger
from gpu2ascend.project.manifest.marker import Marker, write_marker
from gpu2ascend.project.migrate.staging import Staging, new_staging, remove_abandoned

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="directories cannot be locked")


class Marks(NamedTuple):
    """Whether what was left is as a migration leaves it, mark by mark."""

    is_named: bool = True
    is_directory: bool = True
    is_of_its_inode: bool = True
    is_closed_to_the_group: bool = True
    is_closed_to_others: bool = True
    holds_what_was_planned: bool = True
    is_released: bool = True


ALL = Marks()


def one_missing() -> list[Marks]:
    return [ALL._replace(**{name: False}) for name in Marks._fields]


def left_in(parent: Path, marks: Marks) -> tuple[Path, Path, Staging]:
    """The target of a migration, and what lies beside it with some of the marks."""
    target = parent / "proj_msft"
    staging = new_staging(target)
    ledger = Ledger(staging.path)
    ledger.plan("a.py", "b.py")
    ledger.close()
    path = staging.path
    (path / "a.py").write_text("x = 1\n")
    if not marks.holds_what_was_planned:
        (path / "mine.txt").write_text("keep this\n")
    if not marks.is_of_its_inode:
        status = path.stat()
        write_marker(path, Marker(__version__, (), staging=(status.st_dev, status.st_ino + 1)))
    mode = 0o700
    mode |= 0 if marks.is_closed_to_the_group else 0o020
    mode |= 0 if marks.is_closed_to_others else 0o002
    path.chmod(mode)
    if not marks.is_named:
        path = path.rename(parent / ".other_msft-abcd1234")
    if not marks.is_directory:
        real = path.rename(parent / "moved")
        path.symlink_to(real)
        path = real
    if marks.is_released:
        staging.release()  # as the system does when a process is killed
    return target, path, staging


@settings(deadline=None)
@given(st.sampled_from([ALL, *one_missing()]) | st.builds(Marks, *[st.booleans()] * len(Marks._fields)))
@example(ALL)
def test_what_was_left_is_deleted_where_every_mark_of_it_is_there(marks: Marks) -> None:
    with tempfile.TemporaryDirectory() as folder:
        target, path, staging = left_in(Path(folder), marks)
        assert path.exists()
        remove_abandoned(target)
        assert (path.exists(), all(marks)) in ((False, True), (True, False))
        if not marks.is_released:
            staging.release()


@pytest.mark.parametrize("marks", one_missing(), ids=lambda marks: Marks._fields[marks.index(False)])
def test_what_lacks_one_mark_stays(tmp_path: Path, marks: Marks) -> None:
    target, path, staging = left_in(tmp_path, marks)
    remove_abandoned(target)
    assert (path / "a.py").read_text() == "x = 1\n"
    if not marks.is_released:
        staging.release()
