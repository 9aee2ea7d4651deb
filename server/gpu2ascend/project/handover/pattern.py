"""What to write at a place: its lines after the fix that a rule offers there."""

from __future__ import annotations

from textwrap import dedent

from gpu2ascend_rules.hosting import RewriteDeclined, edits_of
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding
from gpu2ascend_rules.text.plain.text_file import TextFile

_LONGEST = 1_000
"""Characters; what is longer is no pattern."""


def pattern_at(source: TextFile, finding: Finding) -> str:
    """The lines of a finding with the names of the project after its fix; empty where none is offered."""
    fix = finding.fix
    if fix is None or fix.applicability is Applicability.MANUAL:
        return ""
    try:
        edits = sorted(edits_of(source, fix))
    except RewriteDeclined:
        return ""
    start, end = _lines(source, finding.start, finding.end)
    for edit in edits:
        if edit.start < end and edit.end > start:
            first, last = _lines(source, edit.start, edit.end)
            start, end = min(start, first), max(end, last)
    text = dedent(
        _after(source, [edit for edit in edits if start <= edit.start and edit.end <= end], start, end)
    )
    return text.strip("\n") if len(text) <= _LONGEST else ""


def _lines(source: TextFile, start: int, end: int) -> tuple[int, int]:
    """Where the lines of a span begin and end."""
    lines, size = source.lines, len(source.data)
    first, last = (lines.position(min(place, size)).line for place in (start, max(start, end - 1)))
    return lines.line_span(first)[0], lines.line_span(last)[1]


def _after(source: TextFile, edits: list[Edit], start: int, end: int) -> str:
    parts, at = [], start
    for edit in edits:
        parts += [source.data[at : edit.start].decode("utf-8", "replace"), edit.text]
        at = max(at, edit.end)
    return "".join([*parts, source.data[at:end].decode("utf-8", "replace")]) if edits else ""
