"""Edits of one text over those of another, as edits of the first: several passes told as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..model.finding import Edit


class _Span(NamedTuple):
    """Where an edit is in the text between: what the earlier one wrote, or what the later one replaces."""

    start: int
    end: int
    earlier: Edit | None
    later: Edit | None


def compose(first: Iterable[Edit], between: bytes, second: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits that do at once what ``first`` does to a text and ``second`` to what that gives, ``between``.

    Both are free of overlaps, and so is the result. Edits that touch become one.
    """
    later = (_Span(edit.start, edit.end, None, edit) for edit in second)
    spans = sorted((*_written(first), *later), key=lambda span: (span.start, span.end))
    shift = 0
    edits = []
    for group in _groups(spans):
        start, end = group[0].start, max(span.end for span in group)
        before = start - shift
        shift += sum(_growth(span.earlier) for span in group if span.earlier is not None)
        text = _edited(between, start, end, [span.later for span in group if span.later is not None])
        edits.append(Edit(before, end - shift, text))
    return tuple(edits)


def _written(edits: Iterable[Edit]) -> Iterator[_Span]:
    shift = 0
    for edit in sorted(edits):
        start = edit.start + shift
        shift += _growth(edit)
        yield _Span(start, edit.end + shift, edit, None)


def _growth(edit: Edit) -> int:
    return len(edit.text.encode("utf-8", "surrogatepass")) - (edit.end - edit.start)


def _groups(spans: Sequence[_Span]) -> Iterator[list[_Span]]:
    """The spans that overlap or touch, together."""
    group: list[_Span] = []
    end = -1
    for span in spans:
        if group and span.start > end:
            yield group
            group, end = [], -1
        group.append(span)
        end = max(end, span.end)
    if group:
        yield group


def _edited(data: bytes, start: int, end: int, edits: Iterable[Edit]) -> str:
    parts: list[bytes] = []
    at = start
    for edit in sorted(edits):
        parts += (data[at : edit.start], edit.text.encode("utf-8", "surrogatepass"))
        at = edit.end
    parts.append(data[at:end])
    return b"".join(parts).decode("utf-8", "surrogatepass")
