"""Every character that edits leave keeps its place in the map, both ways, over any number of passes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.edits.offsets import EditTrace, Inside, OffsetMap, Span, apply_edits
from gpu2ascend_rules.model.finding import Edit
from tests.rules.edits.test_compose import edits

TEXT = bytes(range(1, 31))
"""No byte stands twice, and the edits write letters: what is left can be told by its byte."""
# of "....", the second and third byte replaced by three, and one inserted before the last
EDITS = [Edit(1, 3, "xyz"), Edit(4, 4, "x")]


@st.composite
def passes(draw: st.DrawFn) -> tuple[list[list[Edit]], bytes]:
    """Up to three passes over the text, and what they make of it."""
    made: list[list[Edit]] = []
    data = TEXT
    for _ in range(draw(st.integers(0, 3))):
        made.append(draw(edits(len(data))))
        data = apply_edits(data, made[-1])
    return made, data


@given(passes())
def test_what_is_left_of_a_text_is_found_where_it_stands(done: tuple[list[list[Edit]], bytes]) -> None:
    made, data = done
    trace = EditTrace(made)
    for at, byte in enumerate(TEXT):
        if byte in data:
            assert trace.present(at) == data.index(byte)
            assert trace.given(data.index(byte)) == at


@given(passes())
def test_places_stay_in_order_and_within_the_text(done: tuple[list[list[Edit]], bytes]) -> None:
    made, data = done
    trace = EditTrace(made)
    present = [trace.present(at) for at in range(len(TEXT) + 1)]
    given_back = [trace.given(at) for at in range(len(data) + 1)]
    assert present == sorted(present)
    assert given_back == sorted(given_back)
    assert present[0] >= 0 and present[-1] == len(data)
    assert given_back[0] >= 0 and given_back[-1] == len(TEXT)


@given(st.data())
def test_the_map_says_what_an_edit_replaces(data: st.DataObject) -> None:
    made = data.draw(edits(len(TEXT)))
    left = apply_edits(TEXT, made)
    moves = OffsetMap(made)
    assert [moves.replaces(at) for at in range(len(TEXT))] == [byte not in left for byte in TEXT]


@given(st.data())
def test_what_edits_write_stands_where_the_map_says(data: st.DataObject) -> None:
    made = data.draw(edits(len(TEXT)))
    left = apply_edits(TEXT, made)
    written = list(OffsetMap(made).written())
    assert [left[item.start : item.end].decode() for item in written] == [edit.text for edit in sorted(made)]
    assert sum(item.growth for item in written) == len(left) - len(TEXT)


@pytest.mark.parametrize(
    ("offset", "inside", "past_insertions", "expected"),
    [
        (0, Inside.START, True, 0),
        (1, Inside.START, True, 1),
        (1, Inside.END, True, 1),
        (2, Inside.START, True, 1),
        (2, Inside.END, True, 4),
        (3, Inside.START, True, 4),
        (4, Inside.START, True, 6),
        (4, Inside.START, False, 5),
        (4, Inside.END, False, 5),
        (5, Inside.START, False, 7),
    ],
)
def test_an_edge_goes_where_it_is_asked_to(
    offset: int, inside: Inside, past_insertions: bool, expected: int
) -> None:
    assert OffsetMap(EDITS).present(offset, inside, past_insertions=past_insertions) == expected


@pytest.mark.parametrize(("offset", "expected"), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 4)])
def test_new_text_comes_from_where_it_went(offset: int, expected: int) -> None:
    assert OffsetMap(EDITS).given(offset) == expected


def test_a_span_never_ends_before_it_begins() -> None:
    assert EditTrace([[Edit(1, 4, "")]]).present_span(2, 3) == Span(1, 1)
    assert EditTrace([[Edit(1, 4, "")]]).given_span(1, 2) == Span(4, 5)


def test_the_edits_of_each_pass_are_given_by_place() -> None:
    assert EditTrace([reversed(EDITS), [Edit(0, 0, "z")]]).edits == (tuple(EDITS), (Edit(0, 0, "z"),))


def test_offsets_count_bytes() -> None:
    assert OffsetMap([Edit(0, 0, "猫")]).present(0) == 3
