"""The PyTorch versions that the product knows, and how a user's spelling finds one of them."""

from __future__ import annotations

import re
from functools import total_ordering
from typing import NamedTuple

_SPELLING = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[.+-].*|(?:a|b|rc|post|dev)\d*.*)?$", re.I)


@total_ordering
class Version(NamedTuple):
    """A PyTorch release, compared by its numbers: ``Version(2, 8, 0) >= Version(2, 3)``."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


SUPPORTED_VERSIONS: tuple[Version, ...] = (
    Version(1, 5, 0),
    Version(1, 8, 1),
    Version(1, 11, 0),
    Version(2, 0, 1),
    Version(2, 1, 0),
    Version(2, 2, 0),
    Version(2, 3, 1),
    Version(2, 4, 0),
    Version(2, 5, 1),
    Version(2, 6, 0),
    Version(2, 7, 1),
    Version(2, 8, 0),
    Version(2, 9, 0),
    Version(2, 10, 0),
    Version(2, 11, 0),
    Version(2, 12, 0),
    Version(2, 13, 0),
    Version(2, 14, 0),
)

NEWEST = SUPPORTED_VERSIONS[-1]
"""The newest release. Nothing but this list and the tables of facts names it."""


class UnknownVersionError(ValueError):
    """The spelling names no version that the product has facts for."""

    def __init__(self, spelling: str) -> None:
        self.spelling = spelling
        known = ", ".join(str(version) for version in SUPPORTED_VERSIONS)
        super().__init__(f"unknown PyTorch version '{spelling}'; choose one of {known}")


class VersionChoice(NamedTuple):
    """A supported version, and whether the user's spelling named it exactly."""

    version: Version
    exact: bool


def choose_version(spelling: str) -> VersionChoice:
    """The supported version that ``spelling`` means.

    A local build tag (``2.8.0+cu121``) and another patch release (``2.8.1``) choose the supported
    release of the same major and minor number, not exactly.

    Raises:
        UnknownVersionError: no supported release has that major and minor number.
    """
    match = _SPELLING.match(spelling.strip())
    if match is None:
        raise UnknownVersionError(spelling)
    major, minor = int(match[1]), int(match[2])
    for version in SUPPORTED_VERSIONS:
        if (version.major, version.minor) == (major, minor):
            return VersionChoice(version, exact=spelling.strip() == str(version))
    raise UnknownVersionError(spelling)
