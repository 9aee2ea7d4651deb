"""What to write at a place: its lines after the fix that a rule offers there, or by a table of patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from textwrap import dedent

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.hosting import RewriteDeclined, edits_of
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding
from gpu2ascend_rules.text.plain.text_file import TextFile

_ARGUMENT = re.compile(r"\{([a-z_]+)\}")
_LONGEST = 1_000
"""Characters; what is longer is no pattern."""


def pattern_at(source: TextFile, finding: Finding) -> str:
    """The lines of a finding with the names of the project as they are to be; empty where nothing knows."""
    text = dedent(_fixed(source, finding) or _described(source, finding))
    return text.strip("\n") if len(text) <= _LONGEST else ""


def _fixed(source: TextFile, finding: Finding) -> str:
    """The lines after the fix; of one that changes other lines only, those of its first edit."""
    fix = finding.fix
    if fix is None or fix.applicability is Applicability.MANUAL:
        return ""
    try:
        edits = sorted(edits_of(source, fix))
    except RewriteDeclined:
        return ""
    start, end = _lines(source, finding.start, finding.end)
    if edits and not any(edit.start < end and edit.end > start for edit in edits):
        start, end = _lines(source, edits[0].start, edits[0].end)
    for edit in edits:
        if edit.start < end and edit.end > start:
            first, last = _lines(source, edit.start, edit.end)
            start, end = min(start, first), max(end, last)
    return _after(source, [edit for edit in edits if start <= edit.start and edit.end <= end], start, end)


def _described(source: TextFile, finding: Finding) -> str:
    """The lines with what the table puts in place of what a message names; empty where it has nothing."""
    row = _patterns().get(finding.message.id)
    if row is None:
        return ""
    arguments = {name: str(value) for name, value in finding.message.arguments}
    find = _ARGUMENT.sub(lambda name: re.escape(arguments.get(name[1], name[0])), row["find"])
    put = _ARGUMENT.sub(lambda name: arguments.get(name[1], name[0]).replace("\\", r"\\"), row["put"])
    start, end = _lines(source, finding.start, finding.end)
    if end - start > _LONGEST:  # what an expression costs grows faster than a line
        return ""
    written, count = re.subn(find, put, source.data[start:end].decode("utf-8", "replace"), count=1)
    return written if count else ""


@cache
def _patterns() -> Mapping[str, Mapping[str, str]]:
    return {row["message"]: row for row in load_tsv("order_patterns")}


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
