"""From edits to the new text."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.finding import Edit


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """A text after edits that do not overlap."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits):
        parts += (data[at : edit.start], edit.text.encode("utf-8", "surrogatepass"))
        at = edit.end
    parts.append(data[at:])
    return b"".join(parts)
