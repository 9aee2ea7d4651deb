"""JSON is read as Python reads it, and every value says where it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.text.plain.json_text import (
    Array,
    CharacterPlaces,
    Fault,
    JsonError,
    Object,
    Scalar,
    String,
    Value,
    parse_json,
)

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
WRITTEN = st.builds(
    lambda value, indent, ascii_only: json.dumps(value, indent=indent, ensure_ascii=ascii_only),
    VALUES,
    st.sampled_from([None, 0, 1, "\t"]),
    st.booleans(),
)


def plain(value: Value) -> Any:
    """A value without its places."""
    if isinstance(value, Object):
        return {key: plain(member.value) for key, member in value.members.items()}
    return [plain(item) for item in value.items] if isinstance(value, Array) else value.value


def parts(value: Value) -> list[Value]:
    """A value, and all that it holds."""
    found = [value]
    if isinstance(value, Object):
        for member in value.members.values():
            found += [member.key, *parts(member.value)]
    elif isinstance(value, Array):
        for item in value.items:
            found += parts(item)
    return found


def fault_of(text: str, **options: Any) -> tuple[int, Fault, str]:
    with pytest.raises(JsonError) as caught:
        parse_json(text, **options)
    return caught.value.at, caught.value.fault, caught.value.about


@pytest.mark.slow
@given(WRITTEN)
def test_what_python_reads_is_read(text: str) -> None:
    assert repr(plain(parse_json(text, as_python=True))) == repr(json.loads(text))


@given(WRITTEN)
def test_of_what_is_no_json_nothing_is_read(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=float.__new__)
    except TypeError:  # NaN and the infinities
        assert fault_of(text)[1] is Fault.VALUE
    else:
        assert repr(plain(parse_json(text))) == repr(expected)


@given(WRITTEN)
def test_a_value_reads_the_same_from_where_it_stands(text: str) -> None:
    for value in parts(parse_json(text, as_python=True)):
        assert repr(json.loads(text[value.start : value.end])) == repr(plain(value))


@given(st.text(alphabet='[]{},:" \n\\u00aftrueNanif-019.eE+x', max_size=12))
def test_any_text_is_read_or_refused_as_python_does(text: str) -> None:
    try:
        expected = json.loads(text)
    except json.JSONDecodeError:
        assert 0 <= fault_of(text, as_python=True)[0] <= len(text)
    else:
        assert repr(plain(parse_json(text, as_python=True))) == repr(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0, Fault.VALUE, "")),
        (" nul", (1, Fault.VALUE, "")),
        ("１", (0, Fault.VALUE, "")),
        ("[1 2]", (3, Fault.COMMA, "]")),
        ('{"a": 1', (7, Fault.COMMA, "}")),
        ('{"a": 1,}', (8, Fault.KEY, "")),
        ('{"a" 1}', (5, Fault.COLON, "")),
        ('{"a": 1, "\\u0061": 2}', (9, Fault.TWICE, "a")),
        ('"a', (0, Fault.STRING, "")),
        ('["a\n"]', (3, Fault.STRING, "")),
        ('{"\\x": 1}', (2, Fault.STRING, "")),
        ("1 x", (2, Fault.EXTRA, "")),
        ("[1]]", (3, Fault.EXTRA, "")),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, expected: tuple[int, Fault, str]) -> None:
    assert fault_of(text) == expected


def test_nesting_is_limited_where_that_is_asked_for() -> None:
    assert parse_json("[[1]]", max_depth=2) == Array(0, 5, [Array(1, 4, [Scalar(2, 3, "1")])])
    assert fault_of("[[1]]", max_depth=1) == (2, Fault.DEEP, "")
    deep = parse_json("[" * 100_000 + "]" * 100_000)
    assert (deep.start, deep.end) == (0, 200_000)


def test_the_last_of_the_members_of_one_name_counts_as_for_python() -> None:
    read = parse_json('{"a": 1, "a": 2}', as_python=True)
    assert isinstance(read, Object)
    assert read.members["a"] == (String(9, 12, '"a"'), Scalar(14, 15, "2"))


def test_a_number_of_very_many_digits_is_a_float() -> None:
    read = parse_json("1" * 400)
    assert isinstance(read, Scalar)
    assert read.value == float("inf")


def test_places_count_lines_of_every_kind() -> None:
    places = CharacterPlaces("a\r\nb\rc\nd")
    assert [places.of(at) for at in (0, 2, 3, 5, 7)] == [(1, 1), (1, 3), (2, 1), (3, 1), (4, 1)]
