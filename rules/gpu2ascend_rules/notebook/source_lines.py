"""The JSON text of a cell's source after some of its lines have changed, and nothing else.

A source is one string, or an array of strings that usually hold a line each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from ..text.plain.json_text import Array, String

Source = String | Array

_PYTHON_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_RAW_LINE = re.compile(r"(?:[^\\]|\\u(?!000[aA])....|\\[^un])*(?:\\n|\\u000[aA])|[\s\S]+")


class _Change(NamedTuple):
    """Old pieces ``first`` to ``last`` (exclusive) give way to new lines."""

    first: int
    last: int
    new: list[str]


def strings(source: Source) -> list[String]:
    """The strings of a source; what else an array holds is not code."""
    if isinstance(source, String):
        return [source]
    return [item for item in source.items if isinstance(item, String)]


def rewritten(text: str, source: Source, new: str, *, ascii_only: bool) -> str:
    """The JSON of a source, which is in ``text``, with new code."""
    if isinstance(source, String):
        return _string(source, new, ascii_only=ascii_only)
    return _array(text, source, new, ascii_only=ascii_only)


def _string(source: String, new: str, *, ascii_only: bool) -> str:
    raw = _RAW_LINE.findall(source.raw[1:-1])
    old = [str(json.loads(f'"{line}"')) for line in raw]
    lines = _split_at_lf(new)
    pieces: list[str] = []
    at = 0
    for change in _changes(old, lines):
        pieces += raw[at : change.first]
        pieces += (_literal(line, ascii_only=ascii_only)[1:-1] for line in change.new)
        at = change.last
    return '"' + "".join((*pieces, *raw[at:])) + '"'


def _array(text: str, source: Array, new: str, *, ascii_only: bool) -> str:
    items = strings(source)
    old, raw = [item.value for item in items], [item.raw for item in items]
    gaps = [text[one.end : two.start] for one, two in pairwise(items)]
    head = text[source.start + 1 : items[0].start] if items else ""
    tail = text[items[-1].end : source.end - 1] if items else ""
    gap = gaps[0] if gaps else f",{head or ' '}"
    before = [gap, *gaps]
    pieces: list[tuple[str, str]] = []
    at = 0
    for change in _changes(old, _lines_like(old, new)):
        pieces += zip(before[at : change.first], raw[at : change.first], strict=True)
        pieces += ((gap, _literal(line, ascii_only=ascii_only)) for line in change.new)
        at = change.last
    pieces += zip(before[at : len(items)], raw[at:], strict=True)
    if not pieces:
        return "[]"
    first, *others = pieces
    return "".join(("[", head, first[1], *(part for piece in others for part in piece), tail, "]"))


def _lines_like(old: Sequence[str], new: str) -> list[str]:
    """New code in pieces as the old was: by lines of Python, or wherever ``str.splitlines`` splits."""
    text = "".join(old)
    for split in (_split_at_lf, _split_everywhere, _split_as_python):
        if list(old) == split(text):
            return split(new)
    return _split_irregular(old, new)


def _split_at_lf(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _split_everywhere(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _split_as_python(text: str) -> list[str]:
    return _PYTHON_LINE.findall(text)


def _split_irregular(old: Sequence[str], new: str) -> list[str]:
    """The old pieces as far as they agree at both ends, and lines between."""
    front: list[str] = []
    at, end = 0, len(new)
    for piece in old:
        if not new.startswith(piece, at):
            break
        front.append(piece)
        at += len(piece)
    back: list[str] = []
    for piece in reversed(old[len(front) :]):
        if end - len(piece) < at or not new.endswith(piece, at, end):
            break
        back.append(piece)
        end -= len(piece)
    return [*front, *_split_at_lf(new[at:end]), *reversed(back)]


def _changes(old: list[str], new: list[str]) -> Iterator[_Change]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        if kind != "equal":
            yield _Change(first, last, new[new_first:new_last])


def _literal(line: str, *, ascii_only: bool) -> str:
    """A line as a JSON string. Lone surrogates, which UTF-8 cannot hold, are escaped in any case."""
    written = json.dumps(line, ensure_ascii=ascii_only)
    return re.sub(r"[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", written)
