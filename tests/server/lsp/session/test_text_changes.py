"""Changes lead to the text that the protocol says, in any order; the tree is that of a fresh parse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from gpu2ascend.lsp.session.text_changes import changed
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position
from gpu2ascend_rules.text.source_file import SourceFile

LETTERS = "ab\n\r\té文😀\u2028\x0c"
UNITS = list(ColumnUnit)

Change = tuple[tuple[int, int], tuple[int, int], str]


def partial(change: Change) -> types.TextDocumentContentChangeEvent:
    start, end, text = change
    place = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(text=text, range=place)


def applied(text: str, change: Change, unit: ColumnUnit) -> str:
    """The specification, written down plainly."""
    data = text.encode()
    lines = LineIndex(data)
    start = lines.offset(Position(*change[0]), unit)
    end = max(start, lines.offset(Position(*change[1]), unit))
    return (data[:start] + change[2].encode() + data[end:]).decode()


positions = st.tuples(st.integers(0, 8), st.integers(0, 8))
one_change = st.tuples(positions, positions, st.text(alphabet=LETTERS, max_size=6))


@given(st.text(alphabet=LETTERS, max_size=40), st.lists(one_change, max_size=30), st.sampled_from(UNITS))
def test_each_change_counts_in_the_text_before_it(text: str, changes: list[Change], unit: ColumnUnit) -> None:
    expected = text
    for change in changes:
        expected = applied(expected, change, unit)
    assert changed(SourceFile(text), [partial(change) for change in changes], unit).text == expected


@pytest.mark.parametrize("backwards", [True, False])
def test_a_formatters_changes_go_through_the_text_in_either_direction(backwards: bool) -> None:
    text = "x = f(a=1)\n" * 300
    changes: list[Change] = [((line, 7), (line, 8), " =\n ") for line in range(300)]
    if not backwards:
        changes = [((2 * line, 7), (2 * line, 8), " =\n ") for line in range(300)]
    result = changed(
        SourceFile(text), [partial(item) for item in (changes[::-1] if backwards else changes)], UNITS[2]
    )
    assert result.text == "x = f(a =\n 1)\n" * 300


def test_the_tree_of_a_changed_text_is_that_of_the_text() -> None:
    source = SourceFile("import torch\nx = [1,\n2]\n")
    assert not source.has_syntax_error
    changes: list[Change] = [((1, 4), (1, 5), "("), ((2, 1), (2, 2), ")"), ((0, 0), (0, 0), "# é\n")]
    new = changed(source, [partial(change) for change in changes], ColumnUnit.UTF16)
    assert str(new.root) == str(SourceFile(new.text).root) and not new.has_syntax_error


def test_a_whole_text_replaces_everything() -> None:
    whole = types.TextDocumentContentChangeWholeDocument("y")
    assert changed(SourceFile("x"), [whole], ColumnUnit.UTF16).text == "y"
