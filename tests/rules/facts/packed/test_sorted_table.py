"""A sorted text is searched where it lies: nothing but the row asked for is parsed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.facts.packed.sorted_table import SortedTable

KEYS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=8)


def table_of(rows: dict[str, list[str]]) -> SortedTable:
    lines = sorted("\t".join([key, *columns]) + "\n" for key, columns in rows.items())
    return SortedTable("".join(sorted(lines, key=lambda line: line.split("\t")[0].encode())).encode())


def test_finds_the_columns_after_a_key() -> None:
    table = table_of({"a": ["1"], "a.b": ["2", "x"], "a.bc": ["3"]})
    assert table.find("a.b") == ["2", "x"]


def test_a_prefix_of_a_key_is_no_key() -> None:
    assert table_of({"a.bc": ["1"]}).find("a.b") is None


def test_an_empty_table_has_no_key() -> None:
    assert SortedTable(b"").find("a") is None
    assert list(SortedTable(b"").starting_with("")) == []


def test_lists_the_rows_below_a_prefix_in_order() -> None:
    table = table_of({"a": ["1"], "a.b": ["2"], "a.c": ["3"], "ab": ["4"]})
    assert [row[0] for row in table.starting_with("a.")] == ["a.b", "a.c"]


@given(st.dictionaries(KEYS, KEYS, max_size=30), KEYS)
def test_finds_what_a_dictionary_would(rows: dict[str, str], other: str) -> None:
    table = table_of({key: [value] for key, value in rows.items()})
    for key in (*rows, other):
        found = table.find(key)
        assert (found[0] if found is not None else None) == rows.get(key)


@given(st.dictionaries(KEYS, KEYS, max_size=30), KEYS)
def test_lists_what_a_filter_would(rows: dict[str, str], prefix: str) -> None:
    table = table_of({key: [value] for key, value in rows.items()})
    listed = [row[0] for row in table.starting_with(prefix)]
    assert listed == sorted((key for key in rows if key.startswith(prefix)), key=str.encode)
