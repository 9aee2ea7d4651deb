"""Results that fit a model's context: pieces of at most some 2,000 tokens, with where the next one begins."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

BUDGET = 2_000
"""Tokens of an answer."""
_RESERVE = 250
"""Of these, for what is beside the pieces: counts, places, notices."""
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|\n[ \t]*| +|.", re.DOTALL)
_LETTERS, _DIGITS = 5, 3
"""Characters of a word, or of a number, that are one token."""

Item = TypeVar("Item")


class Page(NamedTuple):
    """A piece of a text, and where the next one begins."""

    text: str
    next_offset: int | None


def tokens(text: str) -> int:
    """How many tokens a text is at most, roughly: models split texts in different ways."""
    return sum(map(_weight, _PIECE.findall(text)))


def _weight(piece: str) -> int:
    if piece == " ":
        return 0
    if piece.startswith("\n"):
        return 2 + bool(piece[1:])  # as JSON writes it
    if piece.isascii() and piece.isalpha():
        return -(-len(piece) // _LETTERS)
    if piece.isascii() and piece.isdigit():
        return -(-len(piece) // _DIGITS)
    return 1


def page_of_text(text: str, offset: int, budget: int = BUDGET - _RESERVE) -> Page:
    """A piece of a text that ends at the end of a line, or, within a line that is too long, of a word."""
    end, spent, whole_lines = offset, 0, offset
    for match in _PIECE.finditer(text, offset):
        spent += _weight(match.group())
        if spent > budget:
            break
        end = match.end()
        if match.group().startswith("\n"):
            whole_lines = match.start() + 1
    if end >= len(text):
        return Page(text[offset:], None)
    end = whole_lines if whole_lines > offset else max(end, offset + 1)
    return Page(text[offset:end], end)


def fitting(
    items: Sequence[Item],
    offset: int,
    limit: int,
    data: Callable[[Item], Any],
    budget: int = BUDGET - _RESERVE,
) -> tuple[list[Item], int | None]:
    """The items from an offset on that fit, at least one, and where the next ones begin; None after the last.

    Args:
        limit: The most items.
        data: What is sent of an item.
    """
    chosen: list[Item] = []
    for item in items[offset : offset + limit]:
        budget -= tokens(json.dumps(data(item), ensure_ascii=False))
        if budget < 0 and chosen:
            break
        chosen.append(item)
    following = offset + len(chosen)
    return chosen, following if following < len(items) else None


def clipped(text: str, budget: int) -> str:
    """A text, or its beginning with a mark that there is more."""
    page = page_of_text(text, 0, budget)
    return text if page.next_offset is None else f"{page.text.rstrip()} …"


def ending(text: str, budget: int) -> str:
    """A text, or its last lines."""
    lines = text.strip().splitlines()
    kept: list[str] = []
    for line in reversed(lines):
        budget -= tokens(line) + 1
        if budget < 0 and kept:
            return "\n".join(["…", *reversed(kept)])
        kept.append(clipped(line, max(budget, 50)) if budget < 0 else line)
    return "\n".join(reversed(kept))
