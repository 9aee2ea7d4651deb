"""Prose in lines of a width, also where words are not divided by spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .terminal import display_width

WIDTH = 76
"""Of prose that is indented on a screen of 80 columns."""
_WORD = re.compile(r"[^\s\u2e80-\u9fff\uff00-\uffef]+|\s+|.")
_ENDS = "，。；：、！？）》”’"
"""Punctuation that begins no line."""


def filled(text: str) -> str:
    """The text with its paragraphs wrapped anew; what is indented is code and stays as it is."""
    paragraphs = re.split(r"\n{2,}", text)
    return "\n\n".join(
        paragraph
        if any(line.startswith(" ") for line in paragraph.split("\n"))
        else "\n".join(wrapped(" ".join(paragraph.split())))
        for paragraph in paragraphs
    )


def wrapped(text: str, width: int = WIDTH) -> Iterator[str]:
    """One paragraph in lines of at most so many columns, and the end of a sentence behind them."""
    line = ""
    for word in _WORD.findall(text):
        if display_width(line + word) > width and line.strip() and not word.isspace() and word not in _ENDS:
            yield line.rstrip()
            line = ""
        line += word if line else word.lstrip()
    yield line.rstrip()
