"""Results that fit a model's context: short by default, with the number to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TEXT = 6_000
"""Characters of a text in one answer, some 2,000 tokens."""


def page_of_text(text: str, offset: int) -> dict[str, Any]:
    """A piece of a text that ends at a line, and where the next one begins; None after the last."""
    piece = text[offset : offset + TEXT]
    if offset + TEXT < len(text) and "\n" in piece:
        piece = piece[: piece.rindex("\n") + 1]
    following = offset + len(piece)
    return {"text": piece, "next_offset": following if following < len(text) else None}


def page_of_items(name: str, items: Sequence[Any], offset: int, limit: int) -> dict[str, Any]:
    """Some of many items, their number, and where the next ones begin; None after the last."""
    following = offset + limit
    return {
        "total": len(items),
        name: list(items[offset:following]),
        "next_offset": following if following < len(items) else None,
    }
