"""What a check says."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message


class Status(enum.Enum):
    """How grave it is."""

    OK = "ok"
    INFO = "info"
    """Something to know; nothing is wrong."""
    UNSEEN = "unseen"
    """Could not be looked at from here."""
    WARNING = "warning"
    """Training starts, and is slow or fails later; or it may be wrong."""
    ERROR = "error"
    """Training does not start."""


class Result(NamedTuple):
    """What one check found."""

    check: str
    """Which: the name of a row of docs/doctor.md."""
    status: Status
    message: Message
    commands: tuple[str, ...] = ()
    """What mends it, or shows more; one shell command each."""


def result(
    check: str, key: str, status: Status, commands: Iterable[str] = (), /, **arguments: object
) -> Result:
    """A result whose message is ``doctor.<check>.<key>``."""
    return Result(check, status, Message.of(f"doctor.{check}.{key}", **arguments), tuple(commands))
