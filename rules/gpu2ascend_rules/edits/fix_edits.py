"""From the plans of fixes to edits that can be made together."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator

from ..model.finding import Edit, Fix, Requirement
from ..rewrite import RewriteDeclined, rewrite_edits
from ..text.plain.text_file import TextFile
from ..text.source_file import SourceFile
from .required_imports import WHOLE_MODULE, import_edits


def edits_of(source: TextFile, fix: Fix) -> tuple[Edit, ...]:
    """The edits of one fix, with the imports that it needs.
    Raises RewriteDeclined: a structural part of it cannot be made here."""
    own = own_edits(source, fix)
    return tuple(sorted((*own, *needed_imports(source, [(fix, own)]))))


def own_edits(source: TextFile, fix: Fix) -> tuple[Edit, ...]:
    """The edits of one fix, without the imports that it needs.
    Raises RewriteDeclined: a structural part of it cannot be made here."""
    if not fix.plan.rewrites and not source.ends_lines_with_cr:
        return fix.plan.edits  # the very tuple: findings that share a change of the whole file share it
    return tuple(_as_the_file_ends_lines(source, edit) for edit in _edits_of(source, fix))


def _as_the_file_ends_lines(source: TextFile, edit: Edit) -> Edit:
    """An edit whose lines end as those of a file do that has no LF; rules read its text with LFs."""
    is_same = not source.ends_lines_with_cr or "\n" not in edit.text
    return edit if is_same else edit._replace(text=edit.text.replace("\n", "\r"))


def _edits_of(source: TextFile, fix: Fix) -> tuple[Edit, ...]:
    if not fix.plan.rewrites:
        return fix.plan.edits
    if not isinstance(source, SourceFile):
        raise RewriteDeclined("only Python is rewritten")
    edits = list(fix.plan.edits)
    for rewrite in fix.plan.rewrites:
        edits.extend(rewrite_edits(source, rewrite))
    return tuple(edits)


def needed_imports(source: TextFile, fixes: Iterable[tuple[Fix, tuple[Edit, ...]]]) -> tuple[Edit, ...]:
    """The edits that bring the imports which several fixes need, each import once."""
    needs: set[tuple[Requirement, int]] = set()
    seen: set[tuple[Requirement, int]] = set()
    changes: dict[int, tuple[Edit, ...]] = {}
    for fix, edits in fixes:
        changes[id(edits)] = edits
        for requirement in fix.plan.requires:
            if (requirement, id(edits)) not in seen:
                seen.add((requirement, id(edits)))
                needs.update((requirement, offset) for offset in _places_of(requirement, edits))
    imports = import_edits(source, needs) if isinstance(source, SourceFile) and needs else ()
    return _behind_removed_lines(source, imports, changes.values()) if imports else ()


def _behind_removed_lines(
    source: TextFile, imports: Iterable[Edit], changes: Iterable[tuple[Edit, ...]]
) -> tuple[Edit, ...]:
    """Imports whose place is the end of a line that goes come behind that line, so that no edits overlap."""
    gone = sorted({edit for edits in changes for edit in edits if not edit.text})
    line_end = source.newline
    moved = []
    for edit in imports:
        before = gone[max(0, bisect.bisect_left(gone, edit) - 1) :][:1]
        is_within = bool(before) and before[0].start < edit.start == edit.end < before[0].end
        at = before[0].end if is_within else edit.end
        if is_within and edit.text.startswith(line_end) and source.raw[at - 1 : at] in (b"\n", b"\r"):
            edit = Edit(at, at, edit.text.removeprefix(line_end) + line_end)
        moved.append(edit)
    return tuple(moved)


def _places_of(requirement: Requirement, edits: tuple[Edit, ...]) -> list[int]:
    """Where edits write what an import brings; the first of them where none spells its name.

    What writes nothing wants the module as a whole to have it.
    """
    if not edits:
        return [WHOLE_MODULE]
    name = requirement.name or requirement.module
    spelled = [edit.start for edit in edits if name in edit.text] if requirement.by_name else []
    return spelled or [min(edit.start for edit in edits)]


def distinct_edits(changes: Iterable[tuple[Edit, ...]]) -> Iterator[Edit]:
    """The edits of several changes, each once, in order; one that findings share is looked at once."""
    shared = {id(edits): edits for edits in changes}
    yield from dict.fromkeys(edit for edits in shared.values() for edit in edits)


class ClaimedPlaces:
    """The places already spoken for. They never overlap, so only the neighbours need a look."""

    def __init__(self) -> None:
        self._edits: list[Edit] = []
        self._taken: dict[int, tuple[Edit, ...]] = {}
        """By identity, which holds while they are kept here."""

    def takes(self, edits: tuple[Edit, ...]) -> bool:
        """Claim the places of a change, if it can be made beside all those that are claimed."""
        if id(edits) not in self._taken:
            if not all(self.admits(edit) for edit in edits):
                return False
            for edit in edits:
                self.add(edit)
            self._taken[id(edits)] = edits
        return True

    def add(self, edit: Edit) -> None:
        """Claim the place of an edit."""
        index = bisect.bisect_left(self._edits, edit)
        if index == len(self._edits) or self._edits[index] != edit:
            self._edits.insert(index, edit)

    def admits(self, edit: Edit) -> bool:
        """Whether an edit can be made beside all those that are claimed."""
        index = bisect.bisect_left(self._edits, edit)
        around = self._edits[max(0, index - 2) : index + 2]
        return not any(_collide(edit, other) for other in around)


def _collide(edit: Edit, other: Edit) -> bool:
    """Whether two edits cannot both be made. The same edit asked for twice is made once."""
    if edit == other:
        return False
    if edit.start == edit.end or other.start == other.end:
        return edit.start <= other.end and other.start <= edit.end
    return edit.start < other.end and other.start < edit.end
