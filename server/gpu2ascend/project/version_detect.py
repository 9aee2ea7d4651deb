"""Which PyTorch version a project asks for: read from its requirements, never from its code."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.finding import Message
from gpu2ascend_rules.versions import Version


class Detected(NamedTuple):
    """A version with what the user should be told about how it was found."""

    version: Version
    notice: Message


def detect_version(root: Path) -> Detected:
    """The one supported version that the project's requirement files allow.

    Raises:
        VersionNotFoundError: they name none, several, or one that is not supported.
    """
    raise NotImplementedError


def version_notice(spelling: str) -> Message | None:
    """What to tell a user whose ``spelling`` chose a version that it does not name exactly.

    Raises:
        UnknownVersionError: the spelling chooses no supported version.
    """
    raise NotImplementedError
