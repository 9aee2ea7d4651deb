"""What a codemod has to say of a place and does there; and what becomes of the files."""

from __future__ import annotations

from typing import NamedTuple

from ..model.finding import Message, Severity
from .operations import Operation
from .program import Place

_LONG = 60


class Change(NamedTuple):
    """One finding of a codemod, with the operations that answer it; without any, a person must act."""

    code: str
    place: Place
    message: Message
    severity: Severity
    operations: tuple[Operation, ...] = ()
    decided_at: Place | None = None
    """Where an ignore comment leaves it out, if that is not its place: it stands or falls with another."""
    can_go: bool = True
    """Whether an ignore comment may leave it out at all, where the others of its code stay."""


def done(code: str, key: str, place: Place, *operations: Operation, **arguments: object) -> Change:
    """A change that is made."""
    return Change(code, place, Message.of(f"{code}.{key}", **arguments), Severity.WARNING, operations)


def reported_only(code: str, key: str, place: Place, severity: Severity, **arguments: object) -> Change:
    """Something that a person must know or do."""
    return Change(code, place, Message.of(f"{code}.{key}", **arguments), severity)


def first_line(text: str) -> str:
    """A piece of code as a message shows it."""
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= _LONG else line[: _LONG - 1] + "…"
