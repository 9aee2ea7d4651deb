"""Python code within shell code, and the part of the file that it is."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from .part import Part, Piece

_PYTHON = re.compile(rb"py", re.IGNORECASE)
_LINE = re.compile(rb"[^\n]*(?:\n|\Z)")
_TABS = re.compile(rb"\t*")
_BLANKS = b" \t"


class EmbeddedPython(NamedTuple):
    """Code of Python within shell code; the span is that of the code, without quotes."""

    start: int
    end: int
    pieces: tuple[Piece, ...]
    strips_tabs: bool = False
    """Whether the tabs before its lines are not of the code: a here-document behind ``<<-``."""
    forbidden: str = ""
    """What cannot be written in it, since it is within other quotes."""

    def within(self, quote: str) -> EmbeddedPython:
        """The same in code that a shell is given between quotes."""
        return self._replace(forbidden=self.forbidden + quote + ("\\$`" if quote == '"' else ""))


class Room(NamedTuple):
    """What a file that holds shell code asks of what is written there."""

    margin: int = 0
    """How many spaces it puts before each line of the shell code."""
    forbidden: str = ""


def may_embed_python(data: bytes) -> bool:
    """Whether shell code of these bytes may hold code of Python, as far as its words decide."""
    return (b"<<" in data or b"c" in data) and _PYTHON.search(data) is not None


def part_of(place: EmbeddedPython, data: bytes, room: Room) -> Part:
    """The part of a file that is code of Python.

    The pieces may be those of a text in which something that the shell does not see is written over: what
    the file has there is not touched.
    """
    pieces = [part for piece in place.pieces for part in _as_in_file(piece, data)]
    is_tabbed = place.strips_tabs and not room.margin
    margin = ""
    if room.margin or is_tabbed:
        pattern = re.compile(rb" {0,%d}" % room.margin) if room.margin else _TABS
        pieces = list(_without_margins(pieces, data, pattern))
        margin = " " * room.margin
    if is_tabbed:
        first = next((piece for piece in pieces if piece.is_margin), None)
        margin = "\t" * (first.end - first.start if first is not None else 0)
    return Part(pieces, forbidden=place.forbidden + room.forbidden, margin=margin)


def _as_in_file(piece: Piece, data: bytes) -> Iterator[Piece]:
    """A piece as the file has it; where the file has something else than the shell reads, no edit goes."""
    there = data[piece.start : piece.end]
    if not piece.is_literal or piece.text == there:
        yield piece
        return
    pairs = zip(piece.text or b"", there, strict=True)
    at = piece.start
    for kept, group in groupby(pairs, lambda pair: _kept(*pair)):
        run = list(group)
        text = bytes(read if kept is _Kept.FIXED else own for read, own in run)
        is_fixed = kept is not _Kept.WHOLLY
        known = b"" if kept is _Kept.NOTHING else text
        yield piece._replace(start=at, end=at + len(run), text=known, is_fixed=is_fixed)
        at += len(run)


class _Kept(enum.Enum):
    """What is kept of a byte that the shell reads."""

    WHOLLY = enum.auto()
    """The file's own, which may change."""
    FIXED = enum.auto()
    """That which the shell reads, and the file writes in another way."""
    NOTHING = enum.auto()
    """A blank in the place of a mark of the file, such as an escape."""


def _kept(read: int, own: int) -> _Kept:
    if read == own or (read in _BLANKS and own in _BLANKS):
        return _Kept.WHOLLY
    return _Kept.NOTHING if read in _BLANKS and own not in b"\r\n" else _Kept.FIXED


def _without_margins(pieces: list[Piece], data: bytes, margin: re.Pattern[bytes]) -> Iterator[Piece]:
    """The pieces without what the file puts before each line."""
    for piece in pieces:
        if not piece.is_literal:
            yield piece
            continue
        text = piece.text or b""
        at = 0
        for line in _LINE.findall(text):
            begins_line = data[piece.start + at - 1 : piece.start + at] == b"\n"
            found = margin.match(line) if begins_line else None
            size = found.end() if found is not None else 0
            if size:
                start = piece.start + at
                yield piece._replace(start=start, end=start + size, text=b"", is_margin=True)
            if size < len(line):
                start, end = piece.start + at + size, piece.start + at + len(line)
                yield piece._replace(start=start, end=end, text=line[size:])
            at += len(line)
