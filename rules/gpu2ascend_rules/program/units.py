"""Words that must change together, and what becomes of each group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from ..flow.tracing.values import End, EndKind, Followed, Meeting, Value, Word
from ..flow.verdicts import Role
from ..model.project.decisions import Outcome

Shown = Callable[["Unit", Iterable[Value]], Iterator[End]]
_MOST_MEETINGS = 40
"""Words that are looked at where they are compared."""
_DECIDES = frozenset({EndKind.TAKES, EndKind.NAMED, EndKind.REFUSES})
_COMPARES = frozenset({EndKind.TESTED, EndKind.LISTED})
_NEUTRAL = _COMPARES | {EndKind.OPTION}


class Unit(NamedTuple):
    """Words that meet where they must agree."""

    words: tuple[Word, ...]
    """Sorted."""
    ends: frozenset[End]
    """The uses of those among them that were followed."""
    paths: frozenset[str]
    """The files that their ways lead through."""

    @classmethod
    def of(cls, followed: Followed) -> Unit:
        """The unit of a value that is no word of a file."""
        return cls((), followed.ends, followed.paths)

    @property
    def is_joined(self) -> bool:
        """Whether more than its words alone decide about it: it has several, or spans files."""
        return len(self.words) > 1 or len(self.paths) > 1

    @property
    def is_served(self) -> bool:
        """Whether it belongs to options of a program that serves the NPU."""
        return any(end.kind is EndKind.OPTION and end.is_served for end in self.ends)

    @property
    def is_left(self) -> bool:
        """Whether one of its words depends on what cannot move."""
        return any(end.kind is EndKind.LEFT for end in self.ends)

    def of_kind(self, *kinds: EndKind) -> tuple[End, ...]:
        """The ends of some kinds, by place: those that are proven, or all where nothing proven decides."""
        found = (end for end in self.ends if end.kind in kinds)
        return tuple(sorted((end for end in found if end.is_certain or not self._is_proven), key=_place_of))

    @property
    def _is_proven(self) -> bool:
        """Whether a proven use decides."""
        return any(end.is_certain and (end.is_served or end.kind in _DECIDES) for end in self.ends)

    @property
    def outcome(self) -> Outcome | None:
        """What becomes of its words; None where nothing shows it."""
        if self.served or self.is_left:
            return Outcome.STAYS
        takes = self.of_kind(EndKind.TAKES, EndKind.NAMED)
        refuses = self.of_kind(EndKind.REFUSES)
        if takes and refuses:
            return Outcome.DIVIDED if self._is_proven else None
        if refuses:
            return Outcome.STAYS
        if takes and (self._is_proven or any(map(_names_field, self.ends))):
            return Outcome.MOVES
        return Outcome.STAYS if self.is_only_tested else None

    @property
    def is_only_tested(self) -> bool:
        """Whether nothing but tests uses its words, and no name shows them to be of the subject."""
        return self.is_only_compared and any(end.kind is EndKind.TESTED for end in self.ends)

    @property
    def is_only_compared(self) -> bool:
        """Whether nothing but tests and lists uses its words, and no name shows them to be of the subject."""
        uses = [end for end in self.ends if end.kind.is_use]
        kinds = {end.kind for end in uses}
        return bool(kinds & _COMPARES) and kinds <= _NEUTRAL and all(end.is_certain for end in uses)

    @property
    def is_tested_by_others(self) -> bool:
        """Whether a library refuses its words, and tests use them, too."""
        refuses = self.outcome is Outcome.STAYS and any(self.of_kind(EndKind.REFUSES))
        return refuses and any(end.kind is EndKind.TESTED and end.is_certain for end in self.ends)

    @property
    def flags(self) -> frozenset[str]:
        """The flags of the options that give its words."""
        return frozenset(flag for end in self.of_kind(EndKind.OPTION) for flag in end.flags)

    @property
    def counts(self) -> frozenset[Word]:
        """The numbers that count the letters of its words."""
        return frozenset(word for end in self.ends if end.kind is EndKind.COUNTED for word in end.words)

    @property
    def served(self) -> tuple[End, ...]:
        """The proven uses at which the NPU's word stands already, by place."""
        return tuple(sorted((end for end in self.ends if end.is_served and end.is_certain), key=_place_of))

    @property
    def library(self) -> str:
        """The first library that refuses its words."""
        return next((end.library for end in self.of_kind(EndKind.REFUSES)), "")

    @property
    def widened(self) -> frozenset[Word]:
        """The words of lists that get the NPU's word beside them; choices of an option change themselves."""
        listed = {word for end in self.of_kind(EndKind.LISTED) if not end.is_choice for word in end.words}
        tested = {word for end in self.of_kind(EndKind.TESTED) for word in end.words}
        chosen = {word for end in self.of_kind(EndKind.LISTED) if end.is_choice for word in end.words}
        return frozenset(listed - tested - chosen)


def _names_field(end: End) -> bool:
    """Whether a name that other files give values shows the subject: ``device`` of a dataclass."""
    return end.kind is EndKind.CALLED and end.is_certain and end.role is Role.CONSUMED and end.is_shared


def _place_of(end: End) -> tuple[str, int]:
    return end.path, end.start


def units_of(followed: Mapping[Word, Followed], shown: Shown) -> Iterator[Unit]:
    """The units of the words that were followed, with those that they meet.

    Args:
        shown: What single files show of the words of a unit, by the expressions that have them, besides its
            proven uses.
    """
    for words in _groups_of(followed):
        ways = [followed[word] for word in words if word in followed]
        ends = frozenset(end for way in ways for end in way.ends)
        paths = frozenset(path for way in ways for path in way.paths) | {word.path for word in words}
        unit = Unit(tuple(sorted(words)), ends, paths)
        arrivals = (value for way in ways for value in way.arrivals if value.is_certain)
        found = frozenset(shown(unit, arrivals))
        yield unit._replace(ends=ends | found) if found else unit


def _groups_of(followed: Mapping[Word, Followed]) -> Iterator[list[Word]]:
    """The words, together with those that they surely meet."""
    groups = _Groups()
    for word, way in followed.items():
        groups.add(word)
        for end in way.ends:
            if end.is_certain:
                groups.join(word, end.words)
    for word, other in _meeting(followed):
        groups.join(word, [other])
    return groups.all()


def _meeting(followed: Mapping[Word, Followed]) -> Iterator[tuple[Word, Word]]:
    """The pairs of words that are compared with one another."""
    places: dict[tuple[str, int], list[tuple[Word, Meeting]]] = {}
    for word, way in followed.items():
        for meeting in way.meetings:
            places.setdefault((meeting.path, meeting.start), []).append((word, meeting))
    for found in places.values():
        for index, (word, meeting) in enumerate(found[:_MOST_MEETINGS]):
            for other, its in found[index + 1 : _MOST_MEETINGS]:
                if word != other and meeting.may_be_with(its):
                    yield word, other


class _Groups:
    """Disjoint sets of words."""

    def __init__(self) -> None:
        self._parent: dict[Word, Word] = {}

    def add(self, word: Word) -> None:
        """Enter a word."""
        self._parent.setdefault(word, word)

    def join(self, word: Word, others: Iterable[Word]) -> None:
        """Put words into the group of another."""
        for other in others:
            self.add(other)
            self._parent[self._top(other)] = self._top(word)

    def all(self) -> Iterator[list[Word]]:
        """The groups, in order of their first words."""
        groups: dict[Word, list[Word]] = {}
        for word in sorted(self._parent):
            groups.setdefault(self._top(word), []).append(word)
        yield from groups.values()

    def _top(self, word: Word) -> Word:
        top = word
        while self._parent[top] != top:
            top = self._parent[top]
        while self._parent[word] != top:
            self._parent[word], word = top, self._parent[word]
        return top
