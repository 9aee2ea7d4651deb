"""The comment that silences a finding, as an edit."""

from __future__ import annotations

import re

from tree_sitter import Node

from ..model.finding import Edit, Finding
from ..text.source_file import SourceFile

_LINE = re.compile(rb"#\s*gpu2ascend:\s*ignore\[[^\]\r\n]*(?=\])")
_FILE = re.compile(rb"^#\s*gpu2ascend:\s*ignore-file\[[^\]\r\n]*(?=\])", re.M)
_HEAD = re.compile(rb"(?:#!.*(?:\r\n|\r|\n))?(?:#.*coding[:=].*(?:\r\n|\r|\n))?")


def ignore_line(source: SourceFile, finding: Finding) -> Edit | None:
    """The comment for a finding: in one that is there, or at the end of a line."""
    lines = comment_lines(source, finding.start, finding.end)
    for line in lines:
        start, end = source.lines.line_span(line)
        known = _marker(source, start, end)
        if known is not None:
            return Edit(known, known, f", {finding.code}")
    for line in lines:
        if _can_have_comment(source, line):
            start, end = source.lines.line_span(line)
            at = start + len(source.data[start:end].rstrip())
            return Edit(at, end, f"  # gpu2ascend: ignore[{finding.code}]")
    return None


def _marker(source: SourceFile, start: int, end: int) -> int | None:
    """Where a further code stands in the comment of a line, before whatever reason it gives."""
    for known in _LINE.finditer(source.data, start, end):
        if source.comment_at(known.start(), known.end()) is not None:
            return known.end()
    return None


def ignore_file(source: SourceFile, finding: Finding) -> Edit:
    """The comment that silences a rule in the whole file, behind a first line for the system."""
    known = _FILE.search(source.data)
    if known is not None:
        return Edit(known.end(), known.end(), f", {finding.code}")
    head = _HEAD.match(source.data)
    at = head.end() if head is not None else 0
    return Edit(at, at, f"# gpu2ascend: ignore-file[{finding.code}]{source.newline}")


def comment_lines(source: SourceFile, start: int, end: int) -> tuple[int, ...]:
    """The lines on which a comment counts for a span; at the end of the last of them one can stand.

    None can behind a backslash, nor where a line ends within a string.
    """
    first = source.lines.line_of(start)
    last = source.lines.line_of(max(start, end - 1))
    lines = dict.fromkeys((first, _with_comment(source, first), last, _with_comment(source, last)))
    return tuple(lines)


def _can_have_comment(source: SourceFile, line: int) -> bool:
    """Whether a comment can stand at the end of a line."""
    return _with_comment(source, line) == line


def _with_comment(source: SourceFile, line: int) -> int:
    """The line, or the first one behind it, at whose end a comment can stand."""
    while True:
        start, end = source.lines.line_span(line)
        if end >= len(source.data):
            return line
        string = _string_over(source, end)
        if string is not None:
            line = source.lines.line_of(string.end_byte)
        elif source.data[start:end].rstrip().endswith(b"\\"):
            line += 1
        else:
            return line


def _string_over(source: SourceFile, end: int) -> Node | None:
    """The outermost string that goes on over the end of a line."""
    found = None
    node = source.node_at(end, end + 1)
    while node is not None:
        if node.type == "string" and node.start_byte < end < node.end_byte:
            found = node
        node = node.parent
    return found
