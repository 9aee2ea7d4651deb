"""What changes and edits make of a text, and where its parts go, by strings and slices alone.

The oracle knows nothing of the product: lines are split by a regular expression, columns counted by encoders,
trees parsed by tree-sitter itself.
"""

from __future__ import annotations

import difflib
import re
from random import Random

import pytest
import tree_sitter_python
from hypothesis import example, given
from hypothesis import strategies as st
from lsprotocol import types
from tree_sitter import Language, Parser

from gpu2ascend.lsp.session.text_changes import changed
from gpu2ascend_rules.edits.offsets import EditTrace, apply_edits
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position
from gpu2ascend_rules.text.source_file import SourceFile

ALPHABET = "ab\n\r\té文😀\u2028\x0c\x85"
UNITS = st.sampled_from(ColumnUnit)
WIDTHS = {
    ColumnUnit.BYTE: lambda char: len(char.encode()),
    ColumnUnit.CODE_POINT: len,
    ColumnUnit.UTF16: lambda char: len(char.encode("utf-16-le")) // 2,
}
FAR = 2**31 - 1
Place = tuple[int, int]
Change = tuple[Place, Place, str]

SHORTENED: list[Change] = [((1, 0), (4, 0), ""), ((3, 0), (8, 0), "x"), ((1, 0), (1, 1), "y")]
MET: list[Change] = [((1, 0), (1, 1), ""), ((1, 0), (1, 0), "x")]
"""Of ``a\\rb\\nc`` the letter between the halves of a line end goes; then one comes before the next line."""
JOINED: list[Change] = [((0, 1), (0, 1), "\r"), ((1, 0), (1, 0), "\n"), ((FAR, FAR), (FAR, FAR), "c")]

texts = st.text(alphabet=ALPHABET, max_size=40)
numbers = st.integers(0, 9) | st.integers(0, 60) | st.just(FAR)
places = st.tuples(numbers, numbers)
changes = st.tuples(places, places, st.text(alphabet=ALPHABET, max_size=6))


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with its end, the last without one."""
    parts = re.split(r"(\r\n|\r|\n)", text)
    return ["".join(parts[index : index + 2]) for index in range(0, len(parts), 2)]


def index_of(text: str, place: Place, unit: ColumnUnit) -> int:
    """The index in a text of the nearest place in it; of one within a character, where that begins."""
    line, column = place
    lines = lines_of(text)
    if line >= len(lines):
        return len(text)
    at = 0
    content = lines[line].rstrip("\r\n")
    while at < len(content) and sum(map(WIDTHS[unit], content[: at + 1])) <= column:
        at += 1
    return sum(map(len, lines[:line])) + at


def after(text: str, change: Change, unit: ColumnUnit) -> str:
    first = index_of(text, change[0], unit)
    last = max(first, index_of(text, change[1], unit))
    return text[:first] + change[2] + text[last:]


def as_event(change: Change) -> types.TextDocumentContentChangeEvent:
    first, last, text = change
    place = types.Range(types.Position(*first), types.Position(*last))
    return types.TextDocumentContentChangePartial(text=text, range=place)


@given(texts, places, UNITS)
@example("a\n😀b", (1, 1), ColumnUnit.UTF16)
@example("é", (0, 1), ColumnUnit.BYTE)
@example("a\r\n", (0, FAR), ColumnUnit.CODE_POINT)
def test_a_place_is_the_nearest_in_the_text(text: str, place: Place, unit: ColumnUnit) -> None:
    expected = len(text[: index_of(text, place, unit)].encode())
    assert LineIndex(text.encode()).offset(Position(*place), unit) == expected


@given(texts, UNITS)
def test_every_character_has_its_line_and_column(text: str, unit: ColumnUnit) -> None:
    lines = LineIndex(text.encode())
    assert lines.line_count == len(lines_of(text))
    before = 0
    for number, line in enumerate(lines_of(text)):
        for at in range(len(line.rstrip("\r\n")) + 1):
            offset = len(text[: before + at].encode())
            assert lines.position(offset, unit) == Position(number, sum(map(WIDTHS[unit], line[:at])))
        before += len(line)


@given(texts, st.lists(changes, max_size=30), UNITS)
@example("a\nb\nc\nd\n", SHORTENED, ColumnUnit.UTF16)
@example("a\r\nb", JOINED, ColumnUnit.BYTE)
@example("a\rb\nc\n", MET, ColumnUnit.BYTE)
def test_each_change_counts_in_the_text_that_the_one_before_left(
    text: str, batch: list[Change], unit: ColumnUnit
) -> None:
    expected = text
    for change in batch:
        expected = after(expected, change, unit)
    assert changed(SourceFile(text), [as_event(change) for change in batch], unit).text == expected


def random_batch(chosen: Random) -> tuple[str, list[Change]]:
    """A text of many short lines, and many changes in all of it and behind it: more than hypothesis tries."""

    def text(most: int) -> str:
        return "".join(chosen.choices(ALPHABET + "\r\n" * 4, k=chosen.randrange(most)))

    def place() -> Place:
        return chosen.choice([*range(9), 30, FAR]), chosen.choice([*range(5), FAR])

    return text(40), [(place(), place(), text(6)) for _ in range(chosen.randrange(2, 30))]


@pytest.mark.parametrize("seed", range(20))
def test_long_batches_end_in_the_text_that_strings_and_slices_give(seed: int) -> None:
    chosen = Random(seed)
    for _ in range(50):
        text, batch = random_batch(chosen)
        unit = chosen.choice(list(ColumnUnit))
        expected = text
        for change in batch:
            expected = after(expected, change, unit)
        assert changed(SourceFile(text), [as_event(item) for item in batch], unit).text == expected, text


@given(texts, st.lists(changes, min_size=1, max_size=8), UNITS)
def test_the_tree_is_the_one_that_the_grammar_gives(text: str, batch: list[Change], unit: ColumnUnit) -> None:
    source = SourceFile(text)
    assert source.root is not None  # there is a tree to go on from
    new = changed(source, [as_event(change) for change in batch], unit)
    assert isinstance(new, SourceFile)
    read = re.sub(r"\r(?!\n)", "\n", new.text).encode()  # a CR ends a line of Python
    fresh = Parser(Language(tree_sitter_python.language())).parse(read).root_node
    assert str(new.root) == str(fresh)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str, list[list[Edit]]]:
    """A text, what becomes of it in a few steps, and the edits of each step, as difflib finds them."""
    first = before = draw(texts)
    passes: list[list[Edit]] = []
    for _ in range(draw(st.integers(1, 3))):
        target = draw(texts)
        matcher = difflib.SequenceMatcher(None, before, target, autojunk=False)
        passes.append(
            [
                Edit(len(before[:start].encode()), len(before[:end].encode()), target[new_start:new_end])
                for tag, start, end, new_start, new_end in matcher.get_opcodes()
                if tag != "equal"
            ]
        )
        before = target
    return first, before, passes


@given(edited(), st.randoms(use_true_random=False))
def test_edits_of_any_order_end_in_the_text_that_they_were_made_for(
    done: tuple[str, str, list[list[Edit]]], order: Random
) -> None:
    text, expected, passes = done
    data = text.encode()
    for edits in passes:
        order.shuffle(edits)
        data = apply_edits(data, edits)
    assert data.decode() == expected


@given(edited())
def test_what_no_edit_touches_is_found_where_difflib_saw_it(done: tuple[str, str, list[list[Edit]]]) -> None:
    text, _, passes = done
    trace = EditTrace(passes[:1])
    kept = kept_by(text.encode(), passes[0])
    assert [trace.present(old) for old, _ in kept] == [new for _, new in kept]
    assert [trace.given(new) for _, new in kept] == [old for old, _ in kept]


def kept_by(data: bytes, edits: list[Edit]) -> list[Place]:
    """Each byte that edits leave, by its offset before and after them."""
    found: list[Place] = []
    shift = at = 0
    for edit in sorted(edits):
        found += [(offset, offset + shift) for offset in range(at, edit.start)]
        shift += len(edit.text.encode()) - (edit.end - edit.start)
        at = edit.end
    return found + [(offset, offset + shift) for offset in range(at, len(data) + 1)]


@given(edited(), st.integers(0, 60))
def test_a_place_past_the_end_stays_as_far_past_it(
    done: tuple[str, str, list[list[Edit]]], further: int
) -> None:
    text, new, passes = done
    trace = EditTrace(passes)
    assert trace.present(len(text.encode()) + further) == len(new.encode()) + further
    assert trace.given(len(new.encode()) + further) == len(text.encode()) + further
