"""A requirements file as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...text.lines import with_lone_cr_as_lf
from ..kind import KindFile
from ..packages.places import Index, Locked, Requirement
from .reading import places_of

_OTHER_LINE_END = re.compile(rb"[\v\f\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]")
_COMMENT = re.compile(rb"(?:^|(?<=\s))#")


class RequirementsFile(KindFile):
    """One version of one requirements file."""

    joins_lines = True

    @staticmethod
    def as_read(raw: bytes) -> bytes:
        """pip ends lines wherever ``str.splitlines`` does."""
        return _OTHER_LINE_END.sub(lambda match: b"\n".rjust(len(match[0])), with_lone_cr_as_lf(raw))

    def read_places(self) -> Iterator[Requirement | Index | Locked]:
        return places_of(self.data)

    def comment_at(self, start: int, end: int) -> str | None:
        first, last = self.lines.line_span(self.lines.line_of(start))
        match = _COMMENT.search(self.data[first:last])
        if match is None or first + match.start() > start or end > last:
            return None
        return self.slice(first + match.start(), last).rstrip("\r\n")
