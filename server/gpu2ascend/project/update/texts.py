"""Three-way merge of one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .lines import Piece, merged

_OURS, _BETWEEN, _THEIRS = b"<<<<<<< yours", b"=======", b">>>>>>> gpu2ascend"
"""The marks of a conflict, as git makes them."""


class Span(NamedTuple):
    """The lines of a conflict in the merged file, its marks included; from 1."""

    start: int
    end: int
    cell: int | None = None
    """Of a notebook: the cell, from 1, in which the lines are counted."""


class Merged(NamedTuple):
    """A merged file."""

    data: bytes
    conflicts: tuple[Span, ...] = ()


def merge_text(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Merge by lines. Where one side changed all line ends, the lines are compared without them."""
    ends = [_line_end(text) for text in (base, ours, theirs)]
    if None in ends or len(set(ends)) == 1:
        end = ends[1] or b"\n"
        return _with_marks(list(merged(*map(split, (base, ours, theirs)))), end)
    plain = [text.replace(b"\r\n", b"\n") for text in (base, ours, theirs)]
    done = _with_marks(list(merged(*map(split, plain))), b"\n")
    chosen = ends[1] if ends[1] != ends[0] else ends[2]
    return done._replace(data=done.data.replace(b"\n", chosen or b"\n"))


def is_unresolved(data: bytes) -> bool:
    """Whether a text has the marks of an earlier merge."""
    lines = {line.rstrip(b"\r\n") for line in split(data)}
    return _OURS in lines and _THEIRS in lines


def split(data: bytes) -> list[bytes]:
    """The lines of a text with their ends."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _line_end(data: bytes) -> bytes | None:
    """The end of every line; None where they differ."""
    count, carried = data.count(b"\n"), data.count(b"\r\n")
    if carried == 0:
        return b"\n"
    return b"\r\n" if carried == count else None


def _with_marks(pieces: Sequence[Piece], end: bytes) -> Merged:
    lines: list[bytes] = []
    conflicts: list[Span] = []
    for piece in pieces:
        if piece.theirs is None:
            lines += piece.ours
            continue
        start = len(lines) + 1
        for mark, side in ((_OURS, piece.ours), (_BETWEEN, piece.theirs)):
            lines += [mark + end, *side]
            if not lines[-1].endswith(b"\n"):
                lines[-1] += end
        lines.append(_THEIRS + end)
        conflicts.append(Span(start, len(lines)))
    return Merged(b"".join(lines), tuple(conflicts))
