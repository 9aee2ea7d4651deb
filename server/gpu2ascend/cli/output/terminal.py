"""Texts on a terminal: what a stream can show, the columns that texts take, and lines of a width."""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from ...texts.escaping import terminal_line


def display_width(text: str) -> int:
    """Columns that a text takes on a terminal: Chinese characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


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


_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


class Terminal:
    """A stream, and whether a person looks at it.

    ``NO_COLOR`` takes the colours away and ``FORCE_COLOR`` brings them to a pipe, as far as each is
    set and not empty.
    """

    def __init__(self, stream: TextIO, environ: Mapping[str, str] = os.environ) -> None:
        self.stream = stream
        self.is_terminal = stream.isatty() and environ.get("TERM") != "dumb"
        wanted = self.is_terminal or bool(environ.get("FORCE_COLOR"))
        self.has_colours = wanted and not environ.get("NO_COLOR") and _understands_escapes(stream)

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return shutil.get_terminal_size().columns

    def style(self, text: str, *styles: str) -> str:
        """The text in colours, if the stream shows them."""
        if not self.has_colours or not styles or not text:
            return text
        codes = ";".join(_CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def line(self, text: str = "", *styles: str) -> None:
        """Write a line for people. Nothing in it but our own colours acts on the terminal."""
        line = terminal_line(text, styled=self.has_colours)
        self.stream.write(self.style(line, *styles) + "\n")

    def lines(self, texts: Iterable[str]) -> None:
        """Write lines."""
        for text in texts:
            self.line(text)

    def page(self, texts: Iterable[str]) -> None:
        """Write lines that are read as a page: on a terminal, long ones are wrapped."""
        for text in texts:
            self.lines(fitted(text, self.width) if self.is_terminal else (text,))

    def document(self, text: str) -> None:
        """Write what a program reads; it is escaped already, as its format wants it."""
        self.stream.write(text + "\n")


def _understands_escapes(stream: TextIO) -> bool:
    """Whether escape sequences mean colours: everywhere but on old Windows consoles."""
    if sys.platform != "win32" or not stream.isatty():
        return True
    import ctypes

    kernel = ctypes.windll.kernel32
    handle = kernel.GetStdHandle(-12 if stream is sys.stderr else -11)
    mode = ctypes.c_ulong()
    virtual_terminal_processing = 4
    return bool(
        kernel.GetConsoleMode(handle, ctypes.byref(mode))
        and kernel.SetConsoleMode(handle, mode.value | virtual_terminal_processing)
    )


def padded(text: str, width: int, right: bool = False) -> str:
    """The text filled with spaces to a number of columns."""
    space = " " * max(0, width - display_width(text))
    return space + text if right else text + space


def table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as lines with aligned columns; those numbered in ``right`` are aligned to the right."""
    count = max((len(row) for row in rows), default=0)
    widths = [
        max((display_width(row[column]) for row in rows if column < len(row)), default=0)
        for column in range(count)
    ]
    return [
        "  ".join(padded(cell, widths[column], column in right) for column, cell in enumerate(row)).rstrip()
        for row in rows
    ]


def shortened(text: str, width: int) -> str:
    """The end of a text that fits in a number of columns: the end of a path says more than its start."""
    if display_width(text) <= width:
        return text
    kept = text
    while kept and display_width(kept) > width - 3:
        kept = kept[1:]
    return "..." + kept if width > 3 else kept
