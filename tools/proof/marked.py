"""The part of a page that a program makes, between two marks."""

from __future__ import annotations

Marks = tuple[str, str]
"""What is written before the part and behind it."""


def with_part(page: str, marks: Marks, made: str) -> str:
    """A page with a new part in the place of the last one; at its end where there was none."""
    begin, end = marks
    before, _, rest = page.partition(begin)
    return f"{before}{begin}{made}{end}{rest.partition(end)[2]}"
