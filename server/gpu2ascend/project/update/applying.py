"""Brings what people changed into a new migration that is not in its place yet.

Files of the output are given a second name there (a hard link), so that nothing of the output changes, and
nothing large is copied. Where the system knows no such links, they are copied.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from ..errors import writing
from ..manifest.base import Kept
from ..manifest.ledger import DIRECTORY
from ..paths import join
from .plan import Decided, Sides, Take

BESIDE = ".gpu2ascend-new"
"""Behind the name of a file that is put beside one that could not be merged."""
YOURS = ".yours"
"""Behind the name of a report that was changed by hand."""
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EXDEV, errno.EMLINK, errno.EACCES})


def apply(sides: Sides, decided: list[Decided]) -> None:
    """Make the staging directory what was decided. Raises OutputError: the system refuses."""
    with writing(sides.staging):
        aside = {
            item: _moved_aside(sides, item)
            for item in decided
            if item.three.theirs is not None and item.three.theirs != item.three.path
        }
        for item in decided:
            _put(sides, item, aside.get(item))
        _directories(sides)
        for path in sides.ours.carried:
            _carry(sides.output, path, sides.staging)


def keep_reports(output: Path, staging: Path, names: list[str]) -> list[str]:
    """Keep reports that were changed by hand, under names of their own; gives these.
    Raises OutputError: the system refuses."""
    kept = []
    with writing(staging):
        for name in names:
            free = name + YOURS
            while os.path.lexists(staging / free):
                free += YOURS
            _link(str(output / name), str(staging / free))
            kept.append(free)
    return kept


def _moved_aside(sides: Sides, item: Decided) -> str:
    """Take a file that gets another name out of the way: two may change their names."""
    source = join(str(sides.staging), item.three.theirs or "")
    target = f"{source}.{len(source)}.renamed"
    os.rename(source, target)  # noqa: PTH104
    return target


def _put(sides: Sides, item: Decided, aside: str | None) -> None:
    """Make one file of the result."""
    three = item.three
    theirs = aside or (join(str(sides.staging), three.theirs) if three.theirs is not None else None)
    place = join(str(sides.staging), three.path)
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    if item.take is Take.BOTH and theirs is not None:
        os.replace(theirs, f"{place}{BESIDE}")  # noqa: PTH105
    if item.take in (Take.OURS, Take.BOTH):
        if item.take is Take.OURS and theirs is not None:
            os.unlink(theirs)  # noqa: PTH108
        if three.ours is not None:
            _link(join(str(sides.output), three.ours), place)
        return
    if theirs is None:
        return
    if theirs != place:
        os.replace(theirs, place)  # noqa: PTH105
    if item.merged is not None:
        mode = stat.S_IMODE(os.lstat(place).st_mode)
        Path(place).chmod(mode | stat.S_IWUSR)  # it may be write-protected
        Path(place).write_bytes(item.merged.data)
        Path(place).chmod(mode)
    _keep_mode(sides, item, place)


def _keep_mode(sides: Sides, item: Decided, place: str) -> None:
    """Permissions that were changed by hand stay."""
    base, ours, _ = sides.kept(item.three)
    if base is not None and ours is not None and ours.mode != base.mode and not os.path.islink(place):  # noqa: PTH114
        Path(place).chmod(ours.mode & 0o777)


def _directories(sides: Sides) -> None:
    """Keep directories that people made, and remove those that hold nothing any more."""
    ours = {path: kept for path, kept in sides.ours.entries.items() if kept.kind == DIRECTORY}
    for path, kept in sorted(ours.items()):
        place = Path(join(str(sides.staging), path))
        if path not in sides.base.entries:
            place.mkdir(parents=True, exist_ok=True)
        if place.is_dir() and _is_changed(sides.base.entries.get(path), kept):
            place.chmod(kept.mode & 0o777 | 0o700)
    removed = [path for path in sides.base.entries if path not in sides.ours.entries]
    for path in sorted(removed, reverse=True):
        place = Path(join(str(sides.staging), path))
        if place.is_dir() and not place.is_symlink():
            with suppress(OSError):  # it holds what is new
                place.rmdir()


def _is_changed(base: Kept | None, ours: Kept) -> bool:
    return base is None or base.mode != ours.mode


def _carry(output: Path, path: str, staging: Path) -> None:
    """Bring what is no part of the project: a repository, caches, an environment."""
    source, target = join(str(output), path), join(str(staging), path)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    if not stat.S_ISDIR(os.lstat(source).st_mode):
        _link(source, target)
        return
    shutil.copytree(source, target, symlinks=True, copy_function=_link)


def _link(source: str, target: str) -> None:
    """Give a file a second name; a symbolic link is made anew."""
    if os.path.islink(source):  # noqa: PTH114
        os.symlink(os.readlink(source), target)  # noqa: PTH115, PTH211
        return
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS or not stat.S_ISREG(os.lstat(source).st_mode):
            raise
        shutil.copy2(source, target, follow_symlinks=False)
