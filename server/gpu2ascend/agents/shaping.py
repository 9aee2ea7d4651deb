"""Results that fit a model's context: short by default, with the number to go on with."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

TEXT = 6_000
"""Characters of a text in one answer, some 2,000 tokens."""
ITEMS = 20
"""Items of a list in one answer, unless the client asks for another number."""


def page_of_text(text: str, offset: int) -> dict[str, Any]:
    """A piece of a text that ends at a line, and where the next one begins; None after the last."""
    piece = text[offset : offset + TEXT]
    if offset + TEXT < len(text) and "\n" in piece:
        piece = piece[: piece.rindex("\n") + 1]
    following = offset + len(piece)
    return {"text": piece, "next_offset": following if following < len(text) else None}


def page_of_items(name: str, items: Sequence[Any], offset: int, limit: int) -> dict[str, Any]:
    """Some of many items, their number, and where the next ones begin; None after the last."""
    limit = max(1, limit)
    following = offset + limit
    return {
        "total": len(items),
        name: list(items[offset:following]),
        "next_offset": following if following < len(items) else None,
    }


def edited(text: str, edits: Sequence[dict[str, Any]]) -> str:
    """A text with edits as ``check --output-format json`` gives them: rows and columns from 1."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(place: dict[str, int]) -> int:
        return starts[place["row"] - 1] + place["column"] - 1

    spans = {(offset(edit["location"]), offset(edit["end_location"]), edit["content"]) for edit in edits}
    end = len(text) + 1
    for first, last, content in sorted(spans, reverse=True):
        if last <= end:  # two fixes of one place: the check makes one of them
            text, end = text[:first] + content + text[last:], first
    return text


def diff(path: str, before: str, after: str) -> str:
    """A unified diff of one file."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
