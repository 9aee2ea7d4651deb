"""Changes lead to the text that the protocol says, in any order; the tree is that of a fresh parse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from gpu2ascend.lsp.session.text_changes import changed
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position
from gpu2ascend_rules.text.source_file import SourceFile

LETTERS = "ab#\n\r\té文😀\u2028\x0c"
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


# Of texts with a handful of lines of a few characters: most are inside, some at the end, some far behind it.
numbers = st.integers(0, 8) | st.integers(0, 60) | st.just(2**31 - 1)
positions = st.tuples(numbers, numbers)
one_change = st.tuples(positions, positions, st.text(alphabet=LETTERS, max_size=6))


@given(st.text(alphabet=LETTERS, max_size=40), st.lists(one_change, max_size=30), st.sampled_from(UNITS))
def test_each_change_counts_in_the_text_before_it(text: str, changes: list[Change], unit: ColumnUnit) -> None:
    expected = text
    for change in changes:
        expected = applied(expected, change, unit)
    assert changed(SourceFile(text), [partial(change) for change in changes], unit).text == expected


@pytest.mark.parametrize(
    ("text", "change", "after"),
    [
        pytest.param("a\nb", ((2, 0), (2, 0), "c"), "a\nbc", id="the line behind the last"),
        pytest.param("a\nb\n", ((2, 0), (2, 0), "c"), "a\nb\nc", id="the last line, which is empty"),
        pytest.param("a\nb\n", ((9, 9), (9, 9), "c"), "a\nb\nc", id="far behind the last line"),
        pytest.param("a\nb\n", ((0, 1), (9, 0), "c"), "ac", id="from a line to far behind the last"),
        pytest.param("a\nb\n", ((0, 9), (0, 9), "c"), "ac\nb\n", id="behind the end of a line"),
        pytest.param("a\r\nb", ((0, 9), (0, 9), "c"), "ac\r\nb", id="behind the end of one that ends in two"),
        pytest.param("é\r\nb", ((0, 9), (0, 9), "c"), "éc\r\nb", id="the same in what is not ASCII"),
        pytest.param("a\nb", ((1, 1), (0, 0), "c"), "a\nbc", id="an end before the start"),
        pytest.param("", ((5, 5), (7, 7), "c"), "c", id="anywhere in no text"),
    ],
)
def test_a_position_outside_the_text_is_the_nearest_inside(text: str, change: Change, after: str) -> None:
    assert changed(SourceFile(text), [partial(change)], ColumnUnit.UTF16).text == after


@pytest.mark.parametrize("more", [1, 30])
def test_changes_go_on_behind_the_end_of_what_others_have_shortened(more: int) -> None:
    """More changes than a tree is worth are made without one, and end in the same text."""
    changes: list[Change] = [((1, 0), (4, 0), ""), *[((3, 0), (8, 0), "x")] * more, ((1, 0), (1, 1), "y")]
    result = changed(SourceFile("a\nb\nc\nd\n"), [partial(item) for item in changes], ColumnUnit.UTF16)
    assert result.text == "a\ny" + "x" * (more - 1)


@given(st.text(alphabet=LETTERS, max_size=40), st.lists(one_change, min_size=1, max_size=8))
def test_the_tree_after_any_changes_is_that_of_a_fresh_parse(text: str, changes: list[Change]) -> None:
    source = SourceFile(text)
    assert source.root is not None  # parsed, so that its tree can be taken on
    new = changed(source, [partial(change) for change in changes], ColumnUnit.UTF16)
    assert str(new.root) == str(SourceFile(new.text).root)


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


@pytest.mark.parametrize(
    ("text", "change"),
    [
        pytest.param("# a\r\nb", ((0, 3), (1, 0), "\r"), id="an LF goes and leaves its CR"),
        pytest.param("# a\rb\n", ((1, 0), (1, 0), "\n"), id="an LF comes behind a CR"),
    ],
)
def test_the_tree_knows_where_a_comment_ends_when_the_line_end_before_a_change_is_another(
    text: str, change: Change
) -> None:
    source = SourceFile(text)
    assert source.root is not None
    new = changed(source, [partial(change)], ColumnUnit.UTF16)
    assert str(new.root) == str(SourceFile(new.text).root) and "identifier" in str(new.root)


def test_a_whole_text_replaces_everything() -> None:
    whole = types.TextDocumentContentChangeWholeDocument("y")
    assert changed(SourceFile("x"), [whole], ColumnUnit.UTF16).text == "y"
