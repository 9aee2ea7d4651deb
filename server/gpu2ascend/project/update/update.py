"""``migrate --update``: the three versions of a project, and what is refused.

The last migration's output as it wrote it is the base; the output as it is now is ours; a new migration,
which is not in its place yet, is theirs. The new migration's record of what it wrote stays as it is, so that
what people changed is recognized by it afterwards, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import filterfalse
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message

from ..errors import OutputError
from ..manifest.base import BASE_NAME, MAX_TEXT, Base, DamagedBaseError, read_base
from ..manifest.ledger import fingerprint_of, is_as_migrated
from ..manifest.marker import ORDERS_NAME, read_marker
from ..manifest.ticks import with_ticks
from ..paths import listed, shown
from ..regular_files import read_regular
from ..report.merge import Conflict, Deletions, Lines, Merge
from .applying import apply, keep_reports
from .entries import present_in
from .notebooks import sources
from .places import unfinished_work
from .plan import Decided, Reason, Sides, Take, Three, clashes, planned
from .texts import is_unresolved

_NAMED = 5
Ask = Callable[[tuple[str, ...]], bool]


class Place(NamedTuple):
    """Where a file that the new migration wrote is in the result of an update, or nowhere."""

    source: str
    """Its path in the new migration."""
    path: str | None
    is_changed: bool
    """Whether it is not as the new migration wrote it."""


class Merging(NamedTuple):
    """The result of an update, and what of it is not as the new migration wrote it."""

    merge: Merge
    places: dict[str, Place]
    """Of files that are elsewhere, changed or gone: by their path in the new migration that can be shown."""
    own: frozenset[str]
    """Paths in the result of what people changed or added."""

    @property
    def is_changed(self) -> bool:
        """Whether anything is not as the new migration wrote it, or elsewhere."""
        return bool(self.places or self.own)


@attrs.frozen
class Update:
    """An output that is to be updated, as it was when that began."""

    target: Path
    base: Base
    reports: tuple[str, ...]
    fingerprint: bytes

    def merged_into(self, staging: Path, deletions: Deletions, ask: Ask | None) -> Merging:
        """Make a new migration the result of the update.

        Args:
            ask: Whether files that the new version has no more may go; None where nobody can be asked.

        Raises:
            OutputError: the output cannot be merged, or was changed meanwhile.
        """
        ours = present_in(self.target, self.reports, self.base.entries)
        if not self.is_as_begun(self.target):
            raise OutputError(Message.of("update.touched", path=shown(self.target)))
        sides = Sides(self.base, ours, read_base(staging), self.target, staging)
        _refuse("update.kinds", self.target, list(clashes(sides)))
        try:
            decided, renames = planned(sides)
        except DamagedBaseError as error:
            raise _damaged(self.target) from error
        _refuse_unresolved(sides, decided)
        gone = list(filter(_is_gone, decided))
        if gone and not _may_go(deletions, ask, [item.three.ours or "" for item in gone], self.target):
            kept = {id(item): attrs.evolve(item, take=Take.OURS) for item in gone}
            decided, gone = [kept.get(id(item), item) for item in decided], []
        _refuse_taken(sides, decided)
        apply(sides, decided)
        changed = [name for name in self.reports if _is_changed_report(self.target, name)]
        merge = _merge(sides, decided, gone, renames, keep_reports(self.target, staging, changed))
        return Merging(merge, dict(_places(decided)), frozenset(_own(decided)))

    def is_as_begun(self, directory: Path) -> bool:
        """Whether a directory is the output, into which nobody wrote since the update began."""
        return fingerprint_of(directory, may_be_linked=True) == self.fingerprint


def begun_update(target: Path) -> Update:
    """Look at an output that is to be updated.

    Raises:
        OutputError: it is not ours, has no intact base, or its repository is in the middle of something.
    """
    marker = read_marker(target)
    if marker is None or target.is_symlink():
        raise OutputError(Message.of("update.foreign", path=shown(target)))
    state = unfinished_work(target)
    if state is not None:
        raise OutputError(Message.of("update.unfinished", path=shown(target), state=state))
    fingerprint = fingerprint_of(target, may_be_linked=True)
    try:
        base = read_base(target)
    except FileNotFoundError as error:
        raise OutputError(Message.of("update.no-base", path=shown(target), base=BASE_NAME)) from error
    except DamagedBaseError as error:
        raise _damaged(target) from error
    if not is_as_migrated(target, BASE_NAME):
        raise _damaged(target)
    return Update(target, base, (*marker.reports, ORDERS_NAME), fingerprint)


def _damaged(target: Path) -> OutputError:
    return OutputError(Message.of("update.damaged", path=shown(target), base=BASE_NAME))


def _refuse(message: str, target: Path, paths: list[str]) -> None:
    if paths:
        names = listed(list(map(shown, paths)), _NAMED)
        raise OutputError(Message.of(message, path=shown(target), count=len(paths), names=names))


def _refuse_unresolved(sides: Sides, decided: list[Decided]) -> None:
    paths = [item.three.ours or "" for item in decided if item.take is Take.MERGED]
    found = [path for path in paths if any(map(is_unresolved, sources(sides.text_of_ours(path) or b"")))]
    _refuse("update.unresolved", sides.output, found)


def _refuse_taken(sides: Sides, decided: list[Decided]) -> None:
    """What must be kept and has no place: below a file, or under a name that another file gets."""
    places = [item.three.path for item in decided if _stays(item)]
    taken = {path for path in places if places.count(path) > 1} if len(set(places)) < len(places) else set()
    files = set(places)
    below = [
        path for path in places if any(above in files for above in map("/".join, _parents(path.split("/"))))
    ]
    _refuse("update.kinds", sides.output, sorted({*taken, *below}))


def _parents(parts: list[str]) -> list[list[str]]:
    return [parts[:count] for count in range(1, len(parts))]


def _stays(item: Decided) -> bool:
    return (item.three.theirs if item.take is Take.THEIRS else item.three.ours) is not None


def _is_gone(item: Decided) -> bool:
    return item.take is Take.THEIRS and item.three.theirs is None and item.three.ours is not None


def _may_go(deletions: Deletions, ask: Ask | None, paths: list[str], target: Path) -> bool:
    if deletions is not Deletions.ASK:
        return deletions is Deletions.FOLLOW
    if ask is None:
        _refuse("update.deletions", target, paths)
        return False
    return ask(tuple(map(shown, paths)))


def _is_changed_report(target: Path, name: str) -> bool:
    if not os.path.lexists(target / name) or is_as_migrated(target, name):
        return False
    try:
        text = read_regular(target / name, MAX_TEXT)
    except OSError:
        return True
    return not is_as_migrated(target, name, with_ticks(text, frozenset()))


def _merge(
    sides: Sides, decided: list[Decided], gone: list[Decided], renames: dict[str, str], kept: list[str]
) -> Merge:
    calm = list(filterfalse(_is_conflict, decided))
    theirs = [item for item in decided if item.take is Take.THEIRS]
    return Merge(
        merged=_paths(item for item in calm if item.take is Take.MERGED),
        conflicts=tuple(map(_conflict, filter(_is_conflict, decided))),
        new=_paths(item for item in theirs if _is_new(item.three)),
        gone=tuple(shown(item.three.ours or "") for item in gone),
        renamed=tuple((shown(old), shown(new)) for old, new in sorted(renames.items())),
        updated=sum(_is_updated(sides, item.three) for item in theirs),
        yours=sum(item.take is Take.OURS for item in calm),
        kept_reports=tuple(map(shown, kept)),
    )


def _places(decided: Iterable[Decided]) -> Iterator[tuple[str, Place]]:
    for item in decided:
        source, path = item.three.theirs, item.three.path if _stays(item) else None
        is_changed = item.take is not Take.THEIRS
        if source is not None and (is_changed or path != source):
            yield shown(source), Place(source, path, is_changed)


def _own(decided: Iterable[Decided]) -> Iterator[str]:
    return (item.three.path for item in decided if item.take is not Take.THEIRS and _stays(item))


def _paths(decided: Iterable[Decided]) -> tuple[str, ...]:
    return tuple(shown(item.three.path) for item in decided)


def _is_conflict(item: Decided) -> bool:
    return item.conflict is not None


def _is_new(three: Three) -> bool:
    return three.base is None and three.ours is None and three.theirs is not None


def _is_updated(sides: Sides, three: Three) -> bool:
    base, ours, theirs = sides.kept(three)
    return base is not None and ours is not None and theirs is not None and base.digest != theirs.digest


def _conflict(item: Decided) -> Conflict:
    spans = item.merged.conflicts if item.merged is not None else ()
    reason = item.conflict or Reason.LINES
    lines = tuple(Lines(span.start, span.end, span.cell) for span in spans)
    return Conflict(shown(item.three.path), Message.of(f"update.conflict-{reason.value}"), lines)
