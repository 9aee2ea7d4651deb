"""Prose in lines of a width, also where words are not divided by spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .widths import display_width

WIDTH = 76
"""Of prose that is indented on a screen of 80 columns."""
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_CODE = "    "
_LEAST = 32
"""Columns that a last column needs for its lines."""
_LAST_COLUMN = re.compile(r".*\S {2,}(?=\S)")
_WORD = re.compile(r"[^\s\u2e80-\u9fff\uff00-\uffef]+|\s+|.")
_ENDS = "，。；：、！？）》”’"
"""Punctuation that begins no line."""


def fitted(line: str, width: int) -> Iterator[str]:
    """A line of a page in lines that a screen of so many columns has; what follows is below its last column.

    What is indented by four spaces is code or a command, and stays.
    """
    plain = _STYLE.sub("", line)
    if display_width(plain) <= width or line.startswith(_CODE):
        yield line
        return
    text = line.lstrip()
    lead = line[: len(line) - len(text)]
    column = _LAST_COLUMN.match(plain)
    below = display_width(column[0]) if column is not None else len(lead) + 2
    indent = " " * (below if below <= max(width // 2, width - _LEAST) else len(lead) + 2)
    first, *_ = wrapped(text, width - len(lead) + len(line) - len(plain))
    yield lead + first
    yield from (indent + part for part in wrapped(text[len(first) :].lstrip(), width - len(indent)) if part)


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
