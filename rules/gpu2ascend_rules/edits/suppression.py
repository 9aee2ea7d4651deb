"""The comment that silences a finding, as an edit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..model.finding import Edit, Finding
from ..text.plain.text_file import TextFile
from ..text.source_file import SourceFile

_LINE = re.compile(rb"(?:#|//|;)\s*gpu2ascend:\s*ignore\[[^\]\r\n]*(?=\])")
_FILE = re.compile(rb"^(?:#|//|;)\s*gpu2ascend:\s*ignore-file\[[^\]\r\n]*(?=\])", re.M)


def ignore_lines(source: TextFile, findings: Iterable[Finding]) -> tuple[Edit, ...]:
    """The comments for findings, one a place: it names the rules of all findings that it silences."""
    codes: dict[tuple[int, int], dict[str, Finding]] = {}
    for finding in findings:
        edit = ignore_line(source, finding)
        if edit is not None:
            codes.setdefault((edit.start, edit.end), {}).setdefault(finding.code, finding)
    edits = (
        ignore_line(source, next(iter(of_place.values()))._replace(code=", ".join(sorted(of_place))))
        for of_place in codes.values()
    )
    return tuple(sorted(edit for edit in edits if edit is not None))


def ignore_line(source: TextFile, finding: Finding) -> Edit | None:
    """The comment for a finding: in one that is there, or at the end of a line."""
    if not source.comment_mark:
        return None
    within = _within_part(source, finding)
    if within is not None:
        return within
    lines = comment_lines(source, finding.start, finding.end)
    for line in lines:
        start, end = source.lines.line_span(line)
        known = _marker(source, start, end)
        if known is not None:
            return Edit(known, known, f", {finding.code}")
    below = source.line_below_comment(source.lines.line_of(finding.start))
    if below is not None:
        return _above(source, below, finding.code)
    for line in lines:
        if source.line_for_comment(line) == line:
            start, end = source.lines.line_span(line)
            at = start + len(source.data[start:end].rstrip())
            return Edit(at, end, f"  {source.comment_mark} gpu2ascend: ignore[{finding.code}]")
    return None


def _within_part(source: TextFile, finding: Finding) -> Edit | None:
    """The comment in the part that a finding is in, where that has lines of its own."""
    for part in source.parts():
        span = part.span_within(finding.start, finding.end)
        if span is None:
            continue
        text = SourceFile(part.text)
        edit = ignore_line(text, finding._replace(start=span[0], end=span[1]))
        if edit is None or b"\n" not in part.data[edit.start :]:
            return None  # a single line, or the last one: the comment of the shell follows it
        edits = part.edits([edit])
        return Edit(*edits[0]) if edits else None
    return None


def _above(source: TextFile, line: int, code: str) -> Edit:
    """The comment as a line above another, with its indentation."""
    start, end = source.lines.line_span(line)
    text = source.data[start:end]
    margin = text[: len(text) - len(text.lstrip(b" \t"))].decode()
    return Edit(start, start, f"{margin}{source.comment_mark} gpu2ascend: ignore[{code}]{source.newline}")


def _marker(source: TextFile, start: int, end: int) -> int | None:
    """Where a further code is in the comment of a line, before whatever reason it gives."""
    for known in _LINE.finditer(source.data, start, end):
        if source.comment_at(known.start(), known.end()) is not None:
            return known.end()
    return None


def ignore_file(source: TextFile, finding: Finding) -> Edit | None:
    """The comment that silences a rule in the whole file, behind a first line for the system."""
    if not source.comment_mark:
        return None
    known = _FILE.search(source.data)
    if known is not None:
        return Edit(known.end(), known.end(), f", {finding.code}")
    at = source.head_end
    return Edit(at, at, f"{source.comment_mark} gpu2ascend: ignore-file[{finding.code}]{source.newline}")


def comment_lines(source: TextFile, start: int, end: int) -> tuple[int, ...]:
    """The lines on which a comment counts for a span; at the end of the last of them one can stand.

    None can behind a backslash, nor where a line ends within a string. Where comments are above what they
    are for, these are the comments above the span's first line and above the whole that it belongs to, and
    the line itself, which may have one in spite of that.
    """
    first = source.lines.line_of(start)
    last = source.lines.line_of(max(start, end - 1))
    below = source.line_below_comment(first)
    if below is not None:
        return tuple(dict.fromkeys((*_comments_above(source, first), *_comments_above(source, below), first)))
    lines = dict.fromkeys((first, source.line_for_comment(first), last, source.line_for_comment(last)))
    return tuple(lines)


def _comments_above(source: TextFile, line: int) -> Iterator[int]:
    """The lines directly above one that are nothing but comments, the nearest first."""
    while line > 0:
        line -= 1
        start, end = source.lines.line_span(line)
        text = source.data[start:end]
        at = start + len(text) - len(text.lstrip(b" \t"))
        if (
            not text.lstrip().startswith(source.comment_mark.encode())
            or source.comment_at(at, at + 1) is None
        ):
            return
        yield line
