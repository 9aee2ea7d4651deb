"""The comment that silences a finding, as an edit."""

from __future__ import annotations

import re

from ..model.finding import Edit, Finding
from ..text.source_file import SourceFile

_LINE = re.compile(rb"(#\s*gpu2ascend:\s*ignore\[[^\]\r\n]*)\]\s*$")
_FILE = re.compile(rb"^#\s*gpu2ascend:\s*ignore-file\[[^\]\r\n]*(?=\])", re.M)
_HEAD = re.compile(rb"(?:#!.*(?:\r\n|\r|\n))?(?:#.*coding[:=].*(?:\r\n|\r|\n))?")


def ignore_line(source: SourceFile, finding: Finding) -> Edit | None:
    """The comment on the finding's line; ``None`` where no comment can stand: a string or a line goes on."""
    lines = source.lines
    candidates = (lines.line_of(finding.start), lines.line_of(max(finding.start, finding.end - 1)))
    for line in dict.fromkeys(candidates):
        start, end = lines.line_span(line)
        text = source.data[start:end]
        known = _LINE.search(text)
        if known is not None:
            return Edit(start + known.end(1), start + known.end(1), f", {finding.code}")
        if _takes_comment(source, start, end):
            at = start + len(text.rstrip())
            return Edit(at, end, f"  # gpu2ascend: ignore[{finding.code}]")
    return None


def ignore_file(source: SourceFile, finding: Finding) -> Edit:
    """The comment that silences a rule in the whole file, behind a first line for the system."""
    known = _FILE.search(source.data)
    if known is not None:
        return Edit(known.end(), known.end(), f", {finding.code}")
    head = _HEAD.match(source.data)
    at = head.end() if head is not None else 0
    return Edit(at, at, f"# gpu2ascend: ignore-file[{finding.code}]{source.newline}")


def _takes_comment(source: SourceFile, start: int, end: int) -> bool:
    """Whether a comment can stand at the end of a line."""
    if source.data[start:end].rstrip().endswith(b"\\"):
        return False
    if end >= len(source.data):
        return True
    node = source.node_at(end, end + 1)
    while node is not None:
        if node.type == "string" and node.start_byte < end < node.end_byte:
            return False
        node = node.parent
    return True
