"""Which files of a project a run may edit."""

from __future__ import annotations

from typing import NamedTuple

from .excludes import Excludes


class Editable(NamedTuple):
    """The files that may be edited, by their paths in the project."""

    excludes: Excludes
    only: frozenset[str] | None = None
    """The files that were named; None for all of the project."""

    def allows(self, path: str) -> bool:
        """Whether a file may be edited."""
        return (self.only is None or path in self.only) and not self.excludes.match(path)
