"""The boxes of MIGRATION.md that people tick."""

from __future__ import annotations

import re

OPEN, DONE = "[ ] ", "[x] "
_TICKED = re.compile(rb"^(### )\[[xX]\] (\S+)", re.MULTILINE)


def ticked(text: bytes) -> frozenset[str]:
    """The orders that are ticked in a document."""
    return frozenset(match[2].decode("utf-8", "replace") for match in _TICKED.finditer(text))


def with_ticks(text: bytes, orders: frozenset[str]) -> bytes:
    """The document as it is where these orders alone are ticked."""

    def box(match: re.Match[bytes]) -> bytes:
        mark = DONE if match[2].decode("utf-8", "replace") in orders else OPEN
        return match[1] + mark.encode() + match[2]

    return _TICKED.sub(box, text)
