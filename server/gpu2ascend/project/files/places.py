"""Where a migration reads and where it writes, and what it refuses before any work."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.option_info import OptionInfo
from gpu2ascend_rules.targets.registry import DEFAULT
from gpu2ascend_rules.targets.target import Target

from ..errors import InputError, OutputError, reason
from ..manifest.marker import read_marker
from ..paths import exists, is_directory, shown

FORCE = OptionInfo(help_id="request.force", flags=("--force",))
"""Leave to replace an earlier result."""
DISCARD_CHANGES = OptionInfo(
    help_id="request.discard_changes", flags=("--discard-changes",), depends_on=(("force", True),)
)
"""Leave to do so although something in it is not as the earlier migration left it."""


class MigrationDirectories(NamedTuple):
    """Both ends of a migration."""

    root: Path
    """The project's directory, without links."""
    target: Path
    """The directory to be made."""


def input_directory(path: Path) -> Path:
    """The project's directory, without links.
    Raises InputError: it does not exist, is no directory, or cannot be listed."""
    try:
        root = path.resolve(strict=True)
        if not stat.S_ISDIR(root.stat().st_mode):  # raises where it has vanished since
            raise InputError(Message.of("project.input-not-directory", path=shown(path)))
        with os.scandir(root):
            return root
    except FileNotFoundError as error:
        raise InputError(Message.of("project.input-missing", path=shown(path))) from error
    except (OSError, RuntimeError) as error:  # before Python 3.13 a loop of links is a RuntimeError
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise InputError(
            Message.of("project.input-unreadable", path=shown(path), reason=shown(why))
        ) from error


def migration_places(
    source: Path,
    output: Path,
    *,
    force: bool,
    discard_changes: bool = False,
    distributed: bool = False,
    route: Target = DEFAULT,
) -> MigrationDirectories:
    """The project's directory and the one to make for it.

    Raises:
        InputError: the input cannot be used.
        OutputError: one lies within the other, the output exists, or it is no directory.
    """
    root = input_directory(source)
    target = target_directory(source, output, distributed=distributed, route=route)
    directory = target.parent
    refuse_overlap(root, directory)
    if exists(directory) and not is_directory(directory):
        raise OutputError(Message.of("project.output-not-directory", path=shown(directory)))
    refuse_existing(target, force=force, discard_changes=discard_changes)
    return MigrationDirectories(root, target)


def target_directory(
    source: Path, output: Path, *, distributed: bool = False, route: Target = DEFAULT
) -> Path:
    """The directory that a migration of ``source`` into ``output`` makes.
    Raises OutputError: links lead in a circle on the way to it."""
    return _resolved(output) / output_name(source, distributed=distributed, route=route)


def output_name(source: Path, *, distributed: bool = False, route: Target = DEFAULT) -> str:
    """The name of the migrated project: the one that the user gave, with the target's suffix. Of a link that
    is the link's own, but the directory's for ``.`` and ``..``."""
    suffix = route.distributed_suffix if distributed else route.suffix
    return f"{Path(os.path.abspath(source)).name}{suffix}"  # noqa: PTH100


def require_writable(directory: Path) -> None:
    """Look ahead whether a directory can be made and filled, before hours of work.
    Raises OutputError: the system forbids it, as far as that shows without trying."""
    place = next(_existing(directory), None)
    if place is not None and is_directory(place) and not os.access(place, os.W_OK | os.X_OK):
        why = os.strerror(errno.EACCES)
        raise OutputError(Message.of("project.cannot-write", path=shown(place), reason=why))


def refuse_existing(target: Path, *, force: bool, discard_changes: bool) -> bytes | None:
    """Make sure that nothing is lost by putting a directory at ``target``.

    Returns:
        Of an earlier output that is as it was left, the fingerprint (see :mod:`.ledger`); None where nothing
        is, or where changes may be discarded.

    Raises:
        OutputError: something is there that is not ours to replace, or that was not to be replaced.
    """
    if not os.path.lexists(target):
        return None
    if target.is_symlink() or not is_directory(target) or read_marker(target) is None:
        raise OutputError(Message.of("project.output-foreign", path=shown(target)))
    if not force:
        raise OutputError(Message.of("project.output-exists", path=shown(target), force=FORCE.name))
    return None if discard_changes else _unchanged(target)


def _unchanged(target: Path) -> bytes:
    """The fingerprint of an earlier output in which everything is as its migration left it.
    Raises OutputError: something is not, or nothing says how it was."""
    from ..manifest.ledger import differences  # not for a check, which has no output

    found = differences(target)
    discard = DISCARD_CHANGES.name
    if found is None:
        raise OutputError(Message.of("project.output-unlisted", path=shown(target), discard=discard))
    if found.count:
        names = ", ".join(found.names) + (", …" if found.count > len(found.names) else "")
        raise OutputError(
            Message.of(
                "project.output-changed", path=shown(target), count=found.count, names=names, discard=discard
            )
        )
    return found.fingerprint


def refuse_overlap(root: Path, directory: Path) -> None:
    names = {"input": shown(root), "output": shown(directory)}
    if _is_same(root, directory):
        raise OutputError(Message.of("project.output-is-input", **names))
    if any(_is_same(above, root) for above in _existing(directory)):
        raise OutputError(Message.of("project.output-in-input", **names))
    if any(_is_same(above, directory) for above in root.parents):
        raise OutputError(Message.of("project.input-in-output", **names))


def _existing(path: Path) -> Iterator[Path]:
    return (place for place in (path, *path.parents) if exists(place))


def _is_same(one: Path, other: Path) -> bool:
    """By what the file system says: names differ in case on some, and a mount shows a place twice."""
    try:
        return one.samefile(other)
    except OSError:
        return False


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise OutputError(Message.of("project.cannot-write", path=shown(path), reason=shown(why))) from error
