"""Between byte offsets and the lines and columns of a client."""

from __future__ import annotations

from lsprotocol import types

from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position


def range_of(lines: LineIndex, start: int, end: int, unit: ColumnUnit) -> types.Range:
    """A span of bytes as a range in the client's columns."""
    first, last = lines.position(start, unit), lines.position(end, unit)
    return types.Range(types.Position(*first), types.Position(*last))


def position_of(position: types.Position) -> Position:
    """A client's position as the line index takes it."""
    return Position(position.line, position.character)
