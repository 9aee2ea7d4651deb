"""Findings, and pieces of a text, as tools answer them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from .budget import clipped, fitting, page_of_text

JsonObject = dict[str, Any]

SEVERITIES = ("error", "warning", "information", "hint")
"""The gravest first."""
_TEXTS = ("message", "fix_title")
_TEXT = 200
"""Tokens of a text of a finding."""


def findings_answer(found: Iterable[JsonObject], offset: int, limit: int, notices: str) -> JsonObject:
    """Findings, those on the way of the training first, the gravest first.

    Args:
        found: Each with ``path``, ``line``, ``cell``, ``code``, ``severity``, ``message``, ``api``,
            ``on_the_way``, ``fix`` and ``fix_title``.
        notices: What else is to be said.
    """
    items = sorted(map(_short, found), key=_gravity)
    counts = Counter[str](item["severity"] for item in items)
    shown, following = fitting(items, offset, limit, dict)
    return {
        "counts": {name: counts[name] for name in SEVERITIES},
        "total": len(items),
        "findings": shown,
        "notices": notices,
        "next_offset": following,
    }


def text_answer(text: str, offset: int) -> JsonObject:
    """A piece of a text."""
    piece = page_of_text(text, offset)
    return {"page": piece.text, "next_offset": piece.next_offset}


def _short(item: JsonObject) -> JsonObject:
    return {**item, **{name: clipped(item[name], _TEXT) for name in _TEXTS if item[name]}}


def _gravity(item: JsonObject) -> tuple[bool, int]:
    return not item["on_the_way"], SEVERITIES.index(item["severity"])
