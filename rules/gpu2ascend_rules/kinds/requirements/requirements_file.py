"""A requirements file as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kind import KindFile
from ..packages.places import Index, Locked, Requirement
from .reading import places_of

_COMMENT = re.compile(rb"(?:^|(?<=\s))#")


class RequirementsFile(KindFile):
    """One version of one requirements file."""

    joins_lines = True

    def read_places(self) -> Iterator[Requirement | Index | Locked]:
        return places_of(self.data)

    def comment_at(self, start: int, end: int) -> str | None:
        first, last = self.lines.line_span(self.lines.line_of(start))
        match = _COMMENT.search(self.data[first:last])
        if match is None or first + match.start() > start or end > last:
            return None
        return self.slice(first + match.start(), last).rstrip("\r\n")
