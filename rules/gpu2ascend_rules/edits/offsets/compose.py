"""Edits of one text over those of another, as edits of the first: several passes as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...model.finding import Edit
from .apply import apply_edits
from .offset_map import OffsetMap, Written


def compose(first: Iterable[Edit], between: bytes, second: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits that do at once what ``first`` does to a text and ``second`` to what that gives, ``between``.

    Both are free of overlaps, and so is the result. Edits that touch become one.
    """
    touched: list[Written | Edit] = [*OffsetMap(first).written(), *second]
    spans = sorted(touched, key=lambda span: (span.start, span.end))
    shift = 0
    edits = []
    for group in _groups(spans):
        start, end = group[0].start, max(span.end for span in group)
        before = start - shift
        shift += sum(span.growth for span in group if isinstance(span, Written))
        later = (span for span in group if isinstance(span, Edit))
        text = apply_edits(between, later, start, end).decode("utf-8", "surrogatepass")
        edits.append(Edit(before, end - shift, text))
    return tuple(edits)


def _groups(spans: Sequence[Written | Edit]) -> Iterator[list[Written | Edit]]:
    """The spans that overlap or touch, together."""
    group: list[Written | Edit] = []
    end = -1
    for span in spans:
        if group and span.start > end:
            yield group
            group, end = [], -1
        group.append(span)
        end = max(end, span.end)
    if group:
        yield group
