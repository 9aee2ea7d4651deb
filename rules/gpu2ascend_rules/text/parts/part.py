"""A part of a file: a text of its own, made of pieces of the file's."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple, TypeVar

from .quoting import Quoting, written

_Place = TypeVar("_Place")
_NAME = "shell_value_"
_NUMBER = "0"
_BEFORE_NUMBER = re.compile(rb"[:\d]\Z")


class PartEdit(NamedTuple):
    """New text for a span of bytes: the same fields as an edit of a file."""

    start: int
    end: int
    text: str


def moved(place: _Place, by: int) -> _Place:
    """The same in a text that begins so many bytes earlier.

    Every number of a place, and of what it holds, is an offset; a negative one stands for none.
    """
    shifted: Any = place
    if isinstance(place, tuple):
        values = [moved(value, by) for value in place]
        shifted = type(place)(*values) if hasattr(place, "_fields") else tuple(values)
    elif isinstance(place, int) and not isinstance(place, bool) and place >= 0:
        shifted = place + by
    result: _Place = shifted
    return result


class Piece(NamedTuple):
    """A span of the file, in bytes, and what it stands for in the part."""

    start: int
    end: int
    text: bytes | None
    """``None`` where something unknown takes its place: a variable of a shell, the output of a command."""
    quoting: Quoting = Quoting.RAW
    is_margin: bool = False
    """Whether it is the indentation that the file adds to a line of the part."""
    is_fixed: bool = False
    """Whether the file writes it in a way that no edit may touch."""

    @property
    def is_literal(self) -> bool:
        """Whether each of its bytes stands for itself, so far as their number tells."""
        return self.text is not None and len(self.text) == self.end - self.start


class Part:
    """A text within a file.

    What is unknown is written as a name, or as a digit behind a colon or another digit: ``cuda:$GPU`` is
    ``cuda:0``. No edit touches it.

    Args:
        pieces: In order; what lies between two of them belongs to the file alone.
        path: How the part is named to the project view.
        forbidden: Characters that no edit may write into the file.
        margin: The indentation that the file adds to each line.
    """

    def __init__(
        self, pieces: Sequence[Piece], path: str = "", *, forbidden: str = "", margin: str = ""
    ) -> None:
        self.path = path
        self._pieces = tuple(pieces)
        self._forbidden = frozenset(forbidden)
        self._margin = margin
        self._names: dict[str, int] = {}
        """The places of unknown texts among the pieces, by the names that stand for them."""
        texts = self._texts()
        self._starts = [0, *accumulate(map(len, texts))]
        self.data = b"".join(texts)
        self.text = self.data.decode("utf-8", "surrogatepass")

    def _texts(self) -> list[bytes]:
        known = b"".join(piece.text for piece in self._pieces if piece.text is not None)
        name = _NAME
        while name.encode() in known:
            name = f"_{name}"
        self._name = re.compile(rf"{name}\d+_")
        texts: list[bytes] = []
        last = b""
        for index, piece in enumerate(self._pieces):
            text = piece.text
            if text is None and _BEFORE_NUMBER.search(last):
                text = _NUMBER.encode()
            elif text is None:
                text = f"{name}{len(self._names) + 1}_".encode()
                self._names[text.decode()] = index
            last = text or last
            texts.append(text)
        return texts

    @property
    def has_unknown(self) -> bool:
        """Whether something of it is known only when it runs."""
        return any(piece.text is None for piece in self._pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the file in which a span of the part is."""
        begins = self._place(start)
        return begins, max(begins, self._place(end, is_end=True))

    def span_within(self, start: int, end: int) -> tuple[int, int] | None:
        """The span of the part that is in a span of the file; ``None`` if it begins elsewhere."""
        begins, ends = self._offset(start), self._offset(end, is_end=True)
        return (begins, max(begins, ends)) if begins is not None and ends is not None else None

    def _offset(self, place: int, *, is_end: bool = False) -> int | None:
        for piece, at in zip(self._pieces, self._starts, strict=False):
            if piece.start <= place - is_end < piece.end:
                size = len(piece.text or b"")
                return at + (place - piece.start if piece.is_literal else size * is_end)
        return None

    def edits(self, edits: Iterable[tuple[int, int, str]]) -> tuple[PartEdit, ...] | None:
        """Edits of the part as edits of the file; ``None`` if one of them cannot be written there."""
        found: list[PartEdit] = []
        for edit in map(PartEdit._make, edits):
            moved = self._moved(edit) or self._moved_around_unknown(edit)
            if moved is None or not self._keeps_names(edit):
                return None
            found += moved
        return tuple(sorted(found))

    def as_written(self, text: str, data: bytes) -> str:
        """Words about the part, with the text of the file in place of the names of unknown texts."""

        def in_file(match: re.Match[str]) -> str:
            piece = self._pieces[self._names[match[0]]]
            return data[piece.start : piece.end].decode("utf-8", "replace")

        return self._name.sub(lambda match: in_file(match) if match[0] in self._names else match[0], text)

    def _keeps_names(self, edit: PartEdit) -> bool:
        """Whether an edit has each unknown text as often as what it replaces."""
        first, last = self._holder(edit.start), self._holder(edit.end)
        replaced = {
            name
            for name, index in self._names_among(first, last)
            if edit.start <= self._starts[index] and self._starts[index + 1] <= edit.end
        }
        found = [name for name in self._name.findall(edit.text) if name in self._names]
        return len(found) == len(replaced) == len(replaced.intersection(found))

    def _names_among(self, first: int, last: int) -> Iterator[tuple[str, int]]:
        """The names of the unknown texts among some pieces, with their places."""
        for index in range(first, last + 1):
            name = self.data[self._starts[index] : self._starts[index + 1]].decode("utf-8", "replace")
            if self._pieces[index].text is None and name in self._names:
                yield name, index

    def _place(self, offset: int, *, is_end: bool = False) -> int:
        index = self._holder(offset - is_end)
        piece, within = self._pieces[index], offset - self._starts[index]
        if piece.is_literal:
            return piece.start + within
        return piece.start if within <= 0 else piece.end

    def _holder(self, offset: int) -> int:
        """The piece that the byte at an offset of the part belongs to; the last one for its end."""
        index = bisect.bisect_right(self._starts, max(0, offset)) - 1
        return min(index, len(self._pieces) - 1)

    def _moved(self, edit: PartEdit) -> list[PartEdit] | None:
        """The one edit of the file that is an edit of the part."""
        is_insertion = edit.start == edit.end
        span = self._insertion(edit.start) if is_insertion else self._replaced(edit.start, edit.end)
        if span is None:
            return None
        start, end, quoting = span
        text = written(edit.text, quoting)
        if text is None or not self._forbidden.isdisjoint(text):
            return None
        if self._margin:
            text = re.sub(r"\n(?!\r?\n)", f"\n{self._margin}", text)
        return [PartEdit(start, end, text)]

    def _insertion(self, offset: int) -> tuple[int, int, Quoting] | None:
        for index in (self._holder(offset), self._holder(offset - 1)):
            piece = self._pieces[index]
            within = offset - self._starts[index]
            if piece.text is None or piece.is_fixed or piece.is_margin:
                continue
            if piece.is_literal:
                return piece.start + within, piece.start + within, piece.quoting
            at = piece.start if within == 0 else piece.end
            return at, at, piece.quoting
        return None

    def _replaced(self, start: int, end: int) -> tuple[int, int, Quoting] | None:
        first, last = self._holder(start), self._holder(end - 1)
        pieces = self._pieces[first : last + 1]
        if any(piece.text is None or piece.is_fixed for piece in pieces):
            return None
        if pieces[0].quoting is not pieces[-1].quoting:
            return None
        begins, ends = start - self._starts[first], end - self._starts[last]
        if not (_may_be_cut(pieces[0], begins) and _may_be_cut(pieces[-1], ends)):
            return None
        opened = pieces[0].start + (begins if pieces[0].is_literal else 0)
        closed = pieces[-1].start + ends if pieces[-1].is_literal else pieces[-1].end
        behind = self._pieces[last + 1] if last + 1 < len(self._pieces) else None
        if behind is not None and behind.is_margin and ends == len(pieces[-1].text or b""):
            closed = behind.end  # the new text brings the indentation of the line behind it
        return opened, closed, pieces[0].quoting

    def _moved_around_unknown(self, edit: PartEdit) -> list[PartEdit] | None:
        """The edits of the file that are one of the part, without what stays the same and what is unknown."""
        smaller = self._without_ends(edit)
        moved = self._moved(smaller)
        if moved is not None:
            return moved
        found: list[PartEdit] = []
        for gap in self._gaps(smaller):
            part = self._without_ends(gap) if gap is not None else None
            of_gap = self._moved(part) if part is not None else None
            if part is None or (of_gap is None and (part.text or part.start != part.end)):
                return None
            found += of_gap or ()
        return found or None

    def _gaps(self, edit: PartEdit) -> Iterator[PartEdit | None]:
        """What an edit makes of the texts between unknown ones; ``None`` if it does not keep these."""
        first, last = self._holder(edit.start), self._holder(edit.end - 1)
        unknown = [index for index in range(first, last + 1) if self._pieces[index].text is None]
        if not unknown:
            yield None
            return
        spans = [(self._starts[index], self._starts[index + 1]) for index in unknown]
        names = [self.data[start:end].decode() for start, end in spans]
        if any(name == _NUMBER or edit.text.count(name) != 1 for name in names):
            yield None
            return
        places = [edit.text.index(name) for name in names]
        if places != sorted(places) or spans[0][0] < edit.start or spans[-1][1] > edit.end:
            yield None
            return
        ends = [place + len(name) for place, name in zip(places, names, strict=True)]
        old = [edit.start, *chain.from_iterable(spans), edit.end]
        new = [0, *chain.from_iterable(zip(places, ends, strict=True)), len(edit.text)]
        for (start, end), (begins, stops) in list(zip(pairwise(old), pairwise(new), strict=True))[::2]:
            yield PartEdit(start, end, edit.text[begins:stops])

    def _without_ends(self, edit: PartEdit) -> PartEdit:
        """The same edit of less text."""
        old, new = self.data[edit.start : edit.end].decode("utf-8", "surrogatepass"), edit.text
        most = min(len(old), len(new))
        front = next((at for at in range(most) if old[at] != new[at]), most)
        back = next((at for at in range(most - front) if old[-1 - at] != new[-1 - at]), most - front)
        start = edit.start + len(old[:front].encode("utf-8", "surrogatepass"))
        end = edit.end - len(old[len(old) - back :].encode("utf-8", "surrogatepass"))
        return PartEdit(start, end, new[front : len(new) - back])


def _may_be_cut(piece: Piece, at: int) -> bool:
    """Whether a piece may be divided at a place: only one that is written as it is read, else at its ends."""
    return piece.is_literal or at in (0, len(piece.text or b""))
