"""Version conditions as requirement files write them, and which supported versions they allow.

A small part of PEP 440 and of conda's and Poetry's spellings: what is needed to answer whether a
condition on torch names one release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..model.versions import SUPPORTED_VERSIONS, Version

_CLAUSE = re.compile(r"\s*(===|==|~=|!=|<=|>=|=|<|>|\^|~)?\s*v?(\d+(?:\.\d+)*)(\.\*|\*)?([^\s,|;]*)")
_WIDTH = 3


class Clause(NamedTuple):
    """One comparison, such as ``>=2.1``. Only major, minor and patch number count."""

    operator: str
    release: tuple[int, ...]

    @property
    def is_pin(self) -> bool:
        """Whether it names a release, up to its build."""
        return self.operator in ("==", "===", "=", "~=") and len(self.release) >= 2

    def allows(self, version: Version) -> bool:
        """Whether the comparison holds for a supported version.

        We have facts for one release of each minor version, so a pinned patch release allows the
        supported one of the same minor version, and bounds are compared no finer than that.
        """
        minor, wanted = tuple(version)[:2], self._padded()[:2]
        if self.operator in ("==", "===", "="):
            return minor == wanted if len(self.release) > 1 else minor[:1] == wanted[:1]
        if self.operator == "~=":
            return minor == wanted if len(self.release) > 2 else minor[:1] == wanted[:1] and minor >= wanted
        if self.operator == "^":
            return minor[0] == wanted[0] and minor >= wanted
        if self.operator == "~":
            return minor == wanted
        return self._bounds(version, minor, wanted)

    def _bounds(self, version: Version, minor: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
        if self.operator == ">=":
            return minor >= wanted
        if self.operator == ">":
            return minor > wanted or (minor == wanted and len(self.release) > 2)
        if self.operator == "<":
            return minor < wanted or (minor == wanted and self._padded()[2] > 0)
        if self.operator == "<=":
            return minor <= wanted
        return tuple(version) != self._padded()  # !=

    def _padded(self) -> tuple[int, ...]:
        return (*self.release, *(0,) * _WIDTH)[:_WIDTH]


def parse_clauses(text: str) -> tuple[Clause, ...]:
    """The comparisons of a condition such as ``>=2.1,<2.3``; a bare number pins. The rest is skipped."""
    clauses = []
    for part in text.split(","):
        match = _CLAUSE.match(part)
        if match is not None:
            release = tuple(int(number) for number in match[2].split("."))
            clauses.append(Clause(match[1] or "==", release))
    return tuple(clauses)


def allowed_versions(clauses: Iterable[Clause]) -> tuple[Version, ...]:
    """The supported versions for which every comparison holds."""
    wanted = tuple(clauses)
    return tuple(
        version for version in SUPPORTED_VERSIONS if all(clause.allows(version) for clause in wanted)
    )
