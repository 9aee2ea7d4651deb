"""Words that must change together, and what becomes of each group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ..model.decisions import Outcome
from .values import End, EndKind, Word


class Unit(NamedTuple):
    """Words that meet where they must agree."""

    words: tuple[Word, ...]
    """Sorted."""
    ends: frozenset[End]
    """The uses of those among them that were followed."""

    @property
    def is_joined(self) -> bool:
        """Whether more than its words alone decide about it: it has several, or spans files."""
        paths = {word.path for word in self.words} | {end.path for end in self.ends}
        return len(self.words) > 1 or len(paths) > 1

    @property
    def is_served(self) -> bool:
        """Whether it belongs to options of a program that serves the NPU."""
        return any(end.kind is EndKind.OPTION and end.is_served for end in self.ends)

    @property
    def is_left(self) -> bool:
        """Whether one of its words depends on what cannot move."""
        return any(end.kind is EndKind.LEFT for end in self.ends)

    def of_kind(self, *kinds: EndKind) -> tuple[End, ...]:
        """The proven ends of some kinds, by place."""
        return tuple(
            sorted((end for end in self.ends if end.kind in kinds and end.is_certain), key=_place_of)
        )

    @property
    def outcome(self) -> Outcome | None:
        """What becomes of its words; None where nothing shows it."""
        if self.is_left or any(end.is_served and end.is_certain for end in self.ends):
            return Outcome.STAYS
        takes = self.of_kind(EndKind.TAKES, EndKind.NAMED)
        refuses = self.of_kind(EndKind.REFUSES)
        if takes and refuses:
            return Outcome.DIVIDED
        if refuses:
            return Outcome.STAYS
        if takes:
            return Outcome.MOVES
        return Outcome.STAYS if self._is_only_tested else None

    @property
    def _is_only_tested(self) -> bool:
        """Whether nothing but tests uses its words, and no name shows them to be of the subject."""
        neutral = {EndKind.TESTED, EndKind.LISTED, EndKind.OPTION}
        kinds = {end.kind for end in self.ends}
        return EndKind.TESTED in kinds and kinds <= neutral and all(end.is_certain for end in self.ends)

    @property
    def flags(self) -> frozenset[str]:
        """The flags of the options that give its words."""
        return frozenset(flag for end in self.of_kind(EndKind.OPTION) for flag in end.flags)

    @property
    def widened(self) -> frozenset[Word]:
        """The words of lists that get the NPU's word beside them; choices of an option change themselves."""
        listed = {word for end in self.of_kind(EndKind.LISTED) if not end.is_choice for word in end.words}
        tested = {word for end in self.of_kind(EndKind.TESTED) for word in end.words}
        chosen = {word for end in self.of_kind(EndKind.LISTED) if end.is_choice for word in end.words}
        return frozenset(listed - tested - chosen)


def _place_of(end: End) -> tuple[str, int]:
    return end.path, end.start


def units_of(ends_by_word: Mapping[Word, frozenset[End]]) -> Iterator[Unit]:
    """The units of the words that were followed, with those that they meet."""
    groups = _Groups()
    for word, ends in ends_by_word.items():
        groups.add(word)
        for end in ends:
            if end.is_certain:
                groups.join(word, end.words)
    for words in groups.all():
        ends = frozenset(end for word in words for end in ends_by_word.get(word, frozenset()))
        yield Unit(tuple(sorted(words)), ends)


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
