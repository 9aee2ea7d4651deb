"""Which files of a project a run may edit."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .excludes import Excludes
from .writing.replacing import is_left_alone


class Editable(NamedTuple):
    """The files that may be edited, by their paths in the project."""

    excludes: Excludes
    only: frozenset[str] | None = None
    """The files that were named; None for all of the project."""
    replaced_in: Path | None = None
    """The project's directory where the files themselves are replaced; None where others are made of them."""
    read_only: bool = False
    """Whether files are replaced that are write-protected, too."""

    def allows(self, path: str) -> bool:
        """Whether a file may be edited."""
        if (self.only is not None and path not in self.only) or self.excludes.match(path):
            return False
        place = self.replaced_in
        return place is None or not is_left_alone(place / path, read_only=self.read_only)
