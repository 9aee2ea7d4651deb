"""What may be said of a migrated project as a whole: the one place where counts become sentences.

The terminal, the page, the documents for programs and the editor show what is decided here.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message

NAMED = 3
"""Entries, sources that were not examined, and folders beside the way, that sentences name."""


class State(enum.Enum):
    """How far a project is, the best last."""

    BLOCKED = "blocked"
    """An error, or a file that could not be examined, is on the way of the training, or something of the
    project as a whole prevents it."""
    UNDECIDED = "undecided"
    """No error is known on the way, but not all of it was examined or decided."""
    OPEN = "open"
    """Nothing is known to prevent training; warnings or information on the way are left to decide."""
    MIGRATED = "migrated"


class EntryCount(NamedTuple):
    """What is left on the way of one entry."""

    entry: str
    """Its path, as text that can be shown."""
    errors: int
    open: int
    """Warnings and information."""
    unread: int = 0
    """Files that could not be examined."""


@attrs.frozen(kw_only=True)
class Verdict:
    """What may be said of a project."""

    state: State
    to_decide: int
    """Warnings and information on the way."""
    errors: int
    """On the way."""
    entries: tuple[EntryCount, ...] = ()
    """Those whose ways count, best first."""
    errors_beside: int = 0
    folders: tuple[tuple[str, int], ...] = ()
    """The folders, or files at the top, with the most of these errors, each with how many."""
    undecided: int = 0
    """Units of words, and parts that were not parsed, of which nothing shows what must become."""
    left_out: tuple[str, ...] = ()
    """Sources on the way that were not examined."""
    cuda_sources: int = 0
    """Files with CUDA kernels on the way."""
    is_of_whole: bool = False
    """Whether all files count because no program that trains was found."""

    @property
    def can_be_expected_to_train(self) -> bool:
        """Whether nothing is known to prevent the training, and nothing on its way is undecided."""
        return self.state in (State.OPEN, State.MIGRATED)

    def sentence(self) -> Message:
        """What is said first; a target may have its own text of it."""
        if self.state is State.BLOCKED:
            return Message.of("report.verdict-blocked")
        return Message.of(f"report.verdict-{self.state.value}", count=self.to_decide)

    def details(self) -> Iterator[Message]:
        """What follows: each entry with what is on its way, what is left undecided, what is beside."""
        if self.undecided:
            yield Message.of("report.reason-undecided", count=self.undecided)
        if self.left_out:
            more = ", …" if len(self.left_out) > NAMED else ""
            named = ", ".join(self.left_out[:NAMED]) + more
            yield Message.of("report.reason-left-out", count=len(self.left_out), names=named)
        if self.cuda_sources:
            yield Message.of("report.reason-cuda-sources", count=self.cuda_sources)
        for item in self.entries[:NAMED]:
            unread = {"unread": item.unread} if item.unread else {}
            key = "report.entry-unread" if unread else "report.entry"
            yield Message.of(key, entry=item.entry, errors=item.errors, open=item.open, **unread)
        if len(self.entries) > NAMED:
            yield Message.of("report.more-entries", count=len(self.entries) - NAMED)
        if self.is_of_whole:
            yield Message.of("report.no-entry")
        if self.errors_beside:
            named = ", ".join(f"{folder}: {count}" for folder, count in self.folders[:NAMED])
            more = ", …" if len(self.folders) > NAMED else ""
            yield Message.of("report.beside-way", count=self.errors_beside, folders=named + more)
