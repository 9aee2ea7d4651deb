"""What to write at a place: its lines after the fix that a rule offers there, or by a table of patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from textwrap import dedent

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.hosting import RewriteDeclined, edits_of
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding
from gpu2ascend_rules.text.plain.text_file import TextFile

_ARGUMENT = re.compile(r"\{([a-z_.]+)\}")
_SPAN = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[\w.]+")
_X = re.compile(r"\bx\b")
_RECEIVER = "\N{BULLET}"
"""Stands for what a row found first, until the lines are written."""
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
    rows = _patterns().get(finding.message.id, ())
    start, end = _lines(source, finding.start, finding.end)
    if not rows or end - start > _LONGEST:  # what an expression costs grows faster than a line
        return ""
    lines = source.data[start:end].decode("utf-8", "replace")
    arguments = dict(_holes({name: str(value) for name, value in finding.message.arguments}))
    for row in rows:
        if not arguments.keys() >= {*_ARGUMENT.findall(row["find"]), *_ARGUMENT.findall(row["put"])}:
            continue
        find = _ARGUMENT.sub(lambda name: re.escape(arguments[name[1]]), row["find"])
        put = _ARGUMENT.sub(lambda name: arguments[name[1]].replace("\\", r"\\"), row["put"])
        written, count = re.subn(find, put.replace(_RECEIVER, r"\1"), lines, count=1)
        if count:
            return written
    return ""


def _holes(arguments: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a row may name: the arguments of a message, and what is in them.

    Of `a.b.c`, ``last`` is `c`. Of an argument that is one piece of code, ``name`` is a name, and
    ``of_x`` an expression with what the row found first in place of `x`.
    """
    yield from arguments.items()
    for name, text in arguments.items():
        yield f"{name}.last", text.rpartition(".")[2]
        span = _SPAN.fullmatch(text)
        if span is not None and _NAME.fullmatch(span[1]):
            yield f"{name}.name", span[1]
        elif span is not None and _X.search(span[1]):
            yield f"{name}.of_x", _X.sub(_RECEIVER, span[1])


@cache
def _patterns() -> Mapping[str, Sequence[Mapping[str, str]]]:
    found: dict[str, list[Mapping[str, str]]] = {}
    for row in load_tsv("order_patterns"):
        found.setdefault(row["message"], []).append(row)
    return found


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
