"""What is decided about the words of a project that must change together, as plain data."""

from __future__ import annotations

import enum
import zlib
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Outcome(enum.Enum):
    """What becomes of the words of a unit."""

    MOVES = "moves"
    """Each of them becomes the NPU's word."""
    STAYS = "stays"
    """Each of them remains as it is."""
    HELD = "held"
    """They would move, but some of them lie where nothing may be edited."""
    DIVIDED = "divided"
    """Some of their uses need the NPU's word and others CUDA's; nothing is changed."""


class Place(NamedTuple):
    """A place of the project."""

    path: str
    line: int
    """From 1."""

    def __str__(self) -> str:
        return f"{self.path or '-'}:{self.line}"


class MissingName(NamedTuple):
    """A name that is made of a word, and that the project has for CUDA alone."""

    place: Place
    """Where it is made."""
    name: str
    missing: str
    """What it is on the NPU."""


class Decision(NamedTuple):
    """What becomes of one word, and the reason."""

    outcome: Outcome
    is_widened: bool = False
    """Whether the word is one of a list or type that gets the NPU's word beside it."""
    takes: tuple[Place, ...] = ()
    """The places that take the NPU's word."""
    refuses: tuple[Place, ...] = ()
    """The places that have no NPU."""
    held: tuple[Place, ...] = ()
    """The words of the unit that may not be edited."""
    words: tuple[Place, ...] = ()
    """The words of the unit, sorted; those beyond a limit are left out."""
    unknown: tuple[Place, ...] = ()
    """The places behind which the word could not be followed."""
    served: tuple[Place, ...] = ()
    """The places at which the NPU's word is already."""
    library: str = ""
    """A library that has no NPU, to which it is given."""
    unit: int = -1
    """The number of its unit in :attr:`ProjectDecisions.units`."""
    is_likely: bool = False
    """Whether the place may be of something else, too: a number that counts letters of other texts."""
    is_served: bool = False
    """Whether it stays because its program takes the NPU's word already."""
    names: tuple[MissingName, ...] = ()
    """The names that are made of the words of its unit, and that are missing once they move."""

    @property
    def waits_for_choice(self) -> bool:
        """Whether it stays because whoever starts the program may choose the NPU's word instead."""
        return self.outcome is Outcome.STAYS and bool(self.served) and bool(self.takes) and not self.is_served

    @property
    def places_as_text(self) -> Mapping[str, Any]:
        """The places of what takes it, refuses it and is decided with it, as messages name them."""
        named = {"takes": self.takes, "refuses": self.refuses, "words": self.words}
        return {name: ", ".join(map(str, places)) for name, places in named.items()}


class FileDecisions(NamedTuple):
    """The decisions about one file."""

    size: int = 0
    """Of the text in bytes that they are about; another text has none."""
    digest: int = 0
    words: Mapping[int, Decision] = {}
    """By the byte offset at which the string begins."""

    @classmethod
    def about(cls, data: bytes, words: Mapping[int, Decision]) -> FileDecisions:
        """Decisions about a text."""
        return cls(len(data), zlib.crc32(data), words)

    def is_about(self, data: bytes) -> bool:
        """Whether the decisions are about a text."""
        return self.size == len(data) and self.digest == zlib.crc32(data)

    def moved(self, before: bytes, after: bytes) -> FileDecisions:
        """The decisions about a text after an edit of it, of the words on other lines."""
        first = common_bytes(before, after)
        last = common_bytes(before[first:][::-1], after[first:][::-1])
        grown, end = len(after) - len(before), len(before) - last
        words = {
            start + (grown if start >= end else 0): decision
            for start, decision in self.words.items()
            if start >= end or b"\n" in before[start:first]
        }
        return FileDecisions.about(after, words)


NO_DECISIONS = FileDecisions()


def begins_number(data: bytes, start: int) -> bool:
    """Whether a word of Python's is a number that counts the letters of others."""
    return data[start : start + 1].isdigit()


def begins_literal(data: bytes, start: int) -> bool:
    """Whether a word of Python's is a literal, not the declaration of an option that has none."""
    prefix = data[start : start + 4].lower().lstrip(b"rbuft")
    return prefix.startswith((b"'", b'"'))


def common_bytes(left: bytes, right: bytes) -> int:
    """How many bytes two texts begin with alike."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class DecidedUnit(NamedTuple):
    """All words that one decision is about."""

    outcome: Outcome
    words: tuple[tuple[str, int], ...] = ()
    """Each as its path and the byte offset at which it begins, sorted; none is left out."""
    flags: frozenset[str] = frozenset()
    """The inputs that give its words, by the names of :attr:`ProjectDecisions.options`."""

    @property
    def paths(self) -> frozenset[str]:
        """The files that its words are in."""
        return frozenset(path for path, _ in self.words)


class ProjectDecisions(NamedTuple):
    """What is decided about a project."""

    files: Mapping[str, FileDecisions] = {}
    """By path; files without decisions are left out."""
    options: Mapping[str, frozenset[str]] = {}
    """The words that inputs no longer take: options by their flags, such as ``--backend``, settings by their
    keys, ``dist.backend=``, variables of the environment as ``$BACKEND``."""
    paths: frozenset[str] = frozenset()
    """The files that the ways of words lead through, whose edits may change a decision."""
    units: tuple[DecidedUnit, ...] = ()
    """By the numbers that decisions have."""
    open_units: Mapping[tuple[str, int], int] = {}
    """Numbers of the units of which nothing shows what becomes of them, by the paths and lines of words."""

    def holding(
        self, units: Collection[int], places: Mapping[int, tuple[Place, ...]] = MappingProxyType({})
    ) -> ProjectDecisions:
        """The same where the words of some units may not be edited.

        Args:
            places: By unit, what is the reason.
        """
        held = frozenset(units)
        return self._replace(
            files={path: _holding(file, held, places) for path, file in self.files.items()},
            units=tuple(
                unit._replace(outcome=Outcome.HELD) if number in held else unit
                for number, unit in enumerate(self.units)
            ),
        )


def _holding(
    file: FileDecisions, units: frozenset[int], places: Mapping[int, tuple[Place, ...]]
) -> FileDecisions:
    words = {
        start: decision._replace(outcome=Outcome.HELD, held=places.get(decision.unit, decision.held))
        if decision.unit in units
        else decision
        for start, decision in file.words.items()
    }
    return file._replace(words=words)


NOTHING_DECIDED = ProjectDecisions()
