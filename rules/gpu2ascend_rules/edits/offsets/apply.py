"""From edits to the new text."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.finding import Edit
from ...text.plain.text_file import TextFile


def apply_edits(data: bytes, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> bytes:
    """A text after edits that do not overlap, or its part from ``start`` to ``end`` that holds them."""
    parts: list[bytes] = []
    at = start
    for edit in sorted(edits):
        parts += (data[at : edit.start], written_by(edit))
        at = edit.end
    parts.append(data[at:end])
    return b"".join(parts)


def edited(source: TextFile, edits: Iterable[Edit]) -> TextFile:
    """A file after edits that do not overlap."""
    edits = tuple(edits)
    return source.after(edits, apply_edits(source.raw, edits))


def written_by(edit: Edit) -> bytes:
    """The new text of an edit, in the encoding that its offsets count in."""
    return edit.text.encode("utf-8", "surrogatepass")
