"""The changes of a text as choices: each may be made or left, whatever becomes of the others.

Fixes of which one makes sense only with another are one choice: those that touch, one that was found only
after another was made, and those that lie within the span of another. An import is made with whatever is
chosen; it does no harm alone.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from gpu2ascend_rules.edits.offsets.apply import apply_edits
from gpu2ascend_rules.edits.offsets.offset_map import EditTrace, Span
from gpu2ascend_rules.fixing import composed
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.model.outcome import MadeFix

IsOnePlace = Callable[[int, int], bool]
"""Whether a span of the text may be replaced as a whole."""


class Choice(NamedTuple):
    """What is made as a whole or not at all. Offsets are into the text as it was given."""

    edits: tuple[Edit, ...]
    """One where the place allows it, so that no editor can make a part."""
    fixes: tuple[MadeFix, ...]
    """What it answers, by place; none in an import that others need."""


def choices(
    data: bytes,
    passes: Sequence[Iterable[Edit]],
    made: Sequence[Sequence[MadeFix]],
    known: frozenset[tuple[str, int]],
    is_one_place: IsOnePlace = lambda start, end: True,
) -> list[Choice]:
    """The fixes of several passes over a text as choices, in the order of the text.

    Args:
        known: Code and place of all that is found in the text as it was given. What a later pass found beside
            these stands only because of what was made before it.
    """
    groups = _Groups(composed(data, passes))
    trace = EditTrace()
    for edits, fixes in zip(passes, made, strict=True):
        before = set(groups.owned())
        own = {edit for fix in fixes for edit in fix.edits}
        groups.add_imports(_places(groups, trace, (edit for edit in edits if edit not in own)))
        for fix in fixes:
            groups.add(fix, _places(groups, trace, fix.edits))
            if before and not before.intersection(groups.of(fix)) and (fix.code, fix.start) not in known:
                groups.join([*before, *groups.of(fix)])
        trace.add(edits)
    groups.settle(is_one_place)
    return [
        Choice(
            merged(data, edits) if is_one_place(edits[0].start, edits[-1].end) else tuple(edits),
            tuple(sorted(fixes, key=lambda fix: (fix.start, fix.code))),
        )
        for edits, fixes in groups.parts()
    ]


def _places(groups: _Groups, trace: EditTrace, edits: Iterable[Edit]) -> list[int]:
    """The places of a pass's edits in the text as it was given."""
    return [groups.holding(trace.given_span(edit.start, edit.end)) for edit in edits]


def merged(data: bytes, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits of a text, by place, as one that replaces all from the first to the last."""
    start, end = edits[0].start, edits[-1].end
    if len(edits) == 1:
        return tuple(edits)
    return (Edit(start, end, apply_edits(data, edits, start, end).decode("utf-8", "surrogatepass")),)


class _Groups:
    """Edits that do not overlap, put together by what must not be made apart."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._starts = [edit.start for edit in edits]
        self._parent = list(range(len(edits)))
        self._fixes: list[tuple[MadeFix, tuple[int, ...]]] = []
        self._of: dict[int, tuple[int, ...]] = {}
        self._imports: set[int] = set()

    def holding(self, span: Span) -> int:
        """The edit in whose place a span of the text lies."""
        at = bisect.bisect_right(self._starts, span.start) - 1
        return max(at, 0)

    def add(self, fix: MadeFix, places: Iterable[int]) -> None:
        """Take in a fix whose edits are in these places."""
        own = tuple(dict.fromkeys(places))
        self._fixes.append((fix, own))
        self._of[id(fix)] = own
        self.join(own)

    def add_imports(self, places: Iterable[int]) -> None:
        """Take in imports that the fixes need."""
        self._imports.update(places)

    def of(self, fix: MadeFix) -> tuple[int, ...]:
        """The places of a fix."""
        return self._of[id(fix)]

    def owned(self) -> Iterator[int]:
        """The places that some fix changes, and not only an import."""
        for _, own in self._fixes:
            yield from own

    def join(self, places: Iterable[int]) -> None:
        """Have these made together."""
        roots = sorted({self._root(place) for place in places})
        for root in roots[1:]:
            self._parent[root] = roots[0]

    def settle(self, is_one_place: IsOnePlace) -> None:
        """Join what lies within the span of a group, and those that need an import which is part of one."""
        while True:
            before = [self._root(place) for place in range(len(self._edits))]
            self._join_nested(is_one_place)
            self._join_needing_imports()
            if before == [self._root(place) for place in range(len(self._edits))]:
                return

    def _join_nested(self, is_one_place: IsOnePlace) -> None:
        last: dict[int, int] = {}
        for place in range(len(self._edits)):
            last[self._root(place)] = place
        for root, end in last.items():
            if end > root and is_one_place(self._edits[root].start, self._edits[end].end):
                self.join(range(root, end + 1))

    def _join_needing_imports(self) -> None:
        owned = {self._root(place) for place in self.owned()}
        mixed = {self._root(place) for place in self._imports} & owned
        if mixed:
            needing = [own[0] for fix, own in self._fixes if fix.requires and own]
            self.join([*mixed, *needing])

    def _root(self, place: int) -> int:
        while self._parent[place] != place:
            self._parent[place] = self._parent[self._parent[place]]
            place = self._parent[place]
        return place

    def parts(self) -> Iterator[tuple[list[Edit], list[MadeFix]]]:
        """Each group, in the order of the text: its edits and what they answer."""
        edits: dict[int, list[Edit]] = {}
        fixes: dict[int, list[MadeFix]] = {}
        for place, edit in enumerate(self._edits):
            edits.setdefault(self._root(place), []).append(edit)
        is_import_alone = not any(own for _, own in self._fixes)
        for fix, own in self._fixes:
            if own or is_import_alone:
                fixes.setdefault(self._root(own[0] if own else 0), []).append(fix)
        for root, members in edits.items():
            yield members, fixes.get(root, [])
