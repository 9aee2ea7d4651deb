"""Columns in bytes, code points and UTF-16 units, over lines that end only where Python's do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position

TEXT = st.text(alphabet=st.sampled_from("a\n\r\t\f\u2028\x85é世🎉 "), max_size=60)


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 1), ("a", 1), ("a\n", 2), ("a\r\nb", 2), ("a\rb", 2), ("a\fb\u2028c\x85d\x0be", 1), ("\n\n", 3)],
)
def test_only_lf_cr_and_crlf_end_a_line(text: str, count: int) -> None:
    assert LineIndex(text.encode()).line_count == count


def test_each_unit_counts_its_own_columns() -> None:
    index = LineIndex("x\né世🎉z".encode())
    offset = 2 + len("é世🎉".encode())
    assert index.position(offset, ColumnUnit.BYTE) == Position(1, 9)
    assert index.position(offset, ColumnUnit.CODE_POINT) == Position(1, 3)
    assert index.position(offset, ColumnUnit.UTF16) == Position(1, 4)


@given(TEXT, st.sampled_from(ColumnUnit))
def test_positions_lead_back_to_their_offsets(text: str, unit: ColumnUnit) -> None:
    data = text.encode()
    index = LineIndex(data)
    offset = 0
    for char in text:
        start, end = index.line_span(index.line_of(offset))
        if start <= offset <= end:
            assert index.offset(index.position(offset, unit), unit) == offset
        offset += len(char.encode())


def test_a_position_past_the_end_is_the_end() -> None:
    index = LineIndex(b"ab\ncd\n")
    assert index.offset(Position(0, 99)) == 2
    assert index.offset(Position(99, 0)) == 6
