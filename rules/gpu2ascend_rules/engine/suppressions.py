"""``# gpu2ascend: ignore[CODE]`` on a line, and ``# gpu2ascend: ignore-file[CODE]`` anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..edits.suppression import comment_lines
from ..model.codes import matched_length
from ..model.finding import Finding
from ..text.plain.text_file import TextFile

IGNORE_MARKER = "gpu2ascend:"
"""What every ignore comment has."""
_MARKER = IGNORE_MARKER.encode()
_COMMENT = re.compile(r"(?:#|//|;)\s*gpu2ascend:\s*(ignore(?:-file)?)\s*(?:\[([^\]]*)\])?")


def may_silence(source: TextFile) -> bool:
    """Whether a file may have ignore comments, as far as its bytes say."""
    return _MARKER in source.raw


class Silenced(NamedTuple):
    """How many findings of a file its own comments silence."""

    in_file: int = 0
    """Those that a comment for the whole file silences."""
    on_lines: int = 0
    """The others."""


NOTHING_SILENCED = Silenced()


class Suppressions:
    """The ignore comments of one file. A comment without codes ignores every rule.

    A line comment silences findings that begin on its line, and findings whose last line it is on. For a
    line that can have no comment, because a string or the line itself goes on, the next one that can counts.
    Where no line of a file can have one behind it, those count that stand directly above it.

    Args:
        with_file: Whether comments for the whole file count.
    """

    def __init__(self, source: TextFile, *, with_file: bool = True) -> None:
        self._with_file = with_file
        self._source = source
        self._file: set[str] = set()
        self._lines: dict[int, set[str]] = {}
        for offset in source.find_all(_MARKER):
            comment = source.comment_at(offset, offset + len(_MARKER))
            if comment is not None:
                self._read(comment, source.lines.line_of(offset))

    def _read(self, comment: str, line: int) -> None:
        match = _COMMENT.search(comment)
        if match is None:
            return
        listed = {code.strip().upper() for code in (match[2] or "").split(",") if code.strip()}
        codes = listed or {""}  # every code begins with the empty text
        if match[1] == "ignore-file":
            self._file |= codes if self._with_file else set()
        else:
            self._lines.setdefault(line, set()).update(codes)

    def keep(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that no comment silences."""
        if not self._file and not self._lines:
            return list(findings)
        return [item for item in findings if not self.silences(item.code, item.start, item.end)]

    def count(self, findings: Iterable[Finding]) -> Silenced:
        """How many findings the comments silence."""
        silenced = [item for item in findings if self.silences(item.code, item.start, item.end)]
        in_file = sum(self.has_whole_file(finding.code) for finding in silenced)
        return Silenced(in_file, len(silenced) - in_file)

    def has_whole_file(self, code: str) -> bool:
        """Whether a comment silences a rule in the file as a whole."""
        return any(matched_length(pattern, code) >= 0 for pattern in self._file)

    def silences(self, code: str, start: int, end: int) -> bool:
        """Whether a comment silences a rule between two offsets."""
        codes = set(self._file)
        if self._lines:
            codes.update(*(self._lines.get(line, ()) for line in comment_lines(self._source, start, end)))
        return any(matched_length(pattern, code) >= 0 for pattern in codes)
