"""Columns that texts take on a screen."""

from __future__ import annotations

import unicodedata


def display_width(text: str) -> int:
    """Columns that a text takes on a terminal: Chinese characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
