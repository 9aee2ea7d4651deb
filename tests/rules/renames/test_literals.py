"""A literal that has become a text is read by Python as that text, however it is written."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Node

from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.renames.texts import literal_becomes, part_becomes, word_becomes, written_text
from gpu2ascend_rules.text.source_file import SourceFile

QUOTES = ("'", '"', "'''", '"""')
PREFIXES = ("", "r", "R", "u", "b", "rb", "BR", "f", "rf", "Fr")
WORDS = st.text(alphabet="cuda:npu0 é", max_size=8)
TEXTS = st.text(alphabet="npu0'\"\\{}\n\r\t é\u0301\x00\U0001f600", max_size=8)
"""What is hard to spell: quotes, braces, backslashes, line ends, what does not print."""
LITERALS = st.builds(
    lambda prefix, quote, text: f"{prefix}{quote}{_writable(text, prefix)}{quote}",
    st.sampled_from(PREFIXES),
    st.sampled_from(QUOTES),
    WORDS,
)


def _writable(text: str, prefix: str) -> str:
    return text.replace("é", "e") if "b" in prefix.lower() else text


def literal_of(source: SourceFile) -> Node:
    """The value of the assignment that a text begins with."""
    statement = source.root.named_children[0].named_children[0]
    value = statement.child_by_field_name("right")
    assert value is not None
    return value.named_children[0] if value.type == "parenthesized_expression" else value


def edited(literal: str, edits: list[Edit] | None) -> str:
    """The literal after edits of ``x = literal``."""
    assert edits is not None
    return apply_edits(f"x = {literal}\n".encode(), edits).decode()


def value_of(text: str) -> str:
    """What Python reads, of bytes as text."""
    assignment = ast.parse(text).body[0]
    assert isinstance(assignment, ast.Assign)
    value = assignment.value
    if isinstance(value, ast.JoinedStr):
        return "".join(part.value for part in value.values if isinstance(part, ast.Constant))
    assert isinstance(value, ast.Constant)
    return value.value.decode() if isinstance(value.value, bytes) else str(value.value)


def is_plain(literal: str) -> bool:
    """Whether the literal is a string that can hold any text."""
    return not set("rRbB") & set(literal[: literal.index(literal[-1])])


@given(LITERALS, TEXTS)
def test_all_of_a_literal(literal: str, text: str) -> None:
    edits = literal_becomes(literal_of(SourceFile(f"x = {literal}\n")), text)
    if edits is not None or is_plain(literal):
        assert value_of(edited(literal, edits)) == text


@given(LITERALS)
def test_the_prefix_and_the_quotes_stay(literal: str) -> None:
    edits = literal_becomes(literal_of(SourceFile(f"x = {literal}\n")), "npu:0")
    opening = literal[: literal.index(literal[-1])]
    changed = edited(literal, edits)
    assert changed.startswith(f"x = {opening}{literal[-1]}")
    assert changed.endswith(f"npu:0{literal[len(literal.rstrip(literal[-1])) :]}\n") or literal.strip(
        "rRbBuUfF"
    ) in ("''", '""', "''''''", '""""""')


@given(LITERALS, TEXTS, st.data())
def test_a_part_of_a_literal(literal: str, text: str, data: st.DataObject) -> None:
    node = literal_of(SourceFile(f"x = {literal}\n"))
    written = written_text(node)
    start = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(start, len(written)))
    edits = part_becomes(node, start, end, text)
    if start < end and (edits is not None or is_plain(literal)):
        assert value_of(edited(literal, edits)) == written[:start] + text + written[end:]


@given(
    st.lists(LITERALS.filter(is_plain), min_size=1, max_size=4), TEXTS, st.sampled_from([" ", "\n", "\r\n"])
)
def test_literals_side_by_side(literals: list[str], text: str, gap: str) -> None:
    literal = f"({gap.join(literals)})"
    edits = literal_becomes(literal_of(SourceFile(f"x = {literal}\n")), text)
    assert value_of(edited(literal, edits)) == text


@given(st.lists(LITERALS.filter(is_plain), min_size=1, max_size=4), TEXTS, st.data())
def test_a_part_that_goes_over_several_literals(literals: list[str], text: str, data: st.DataObject) -> None:
    literal = f"({' '.join(literals)})"
    node = literal_of(SourceFile(f"x = {literal}\n"))
    written = written_text(node)
    start = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(start, len(written)))
    if start < end:
        edits = part_becomes(node, start, end, text)
        assert value_of(edited(literal, edits)) == written[:start] + text + written[end:]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_within_triple_quotes_stay(newline: str) -> None:
    literal = f'"""first{newline}cuda:0{newline}last"""'
    edits = word_becomes(literal_of(SourceFile(f"x = {literal}\n")), "cuda", "npu")
    assert edited(literal, edits) == f'x = """first{newline}npu:0{newline}last"""\n'


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("f'cuda:{i}'", "f'npu:{i}'"),
        ("f'{a}-cuda:{i}'", "f'{a}-npu:{i}'"),
        ("'\\tcuda'", "'\\tnpu'"),
        ("r'\\d+cuda'", "r'\\d+npu'"),
        ("('a' 'cu' # c\n 'da:0')", "('a' 'npu' # c\n ':0')"),
    ],
)
def test_a_word_in_a_literal(literal: str, expected: str) -> None:
    edits = word_becomes(literal_of(SourceFile(f"x = {literal}\n")), "cuda", "npu")
    assert edited(literal, edits) == f"x = {expected}\n"


def test_a_comment_between_literals_stays() -> None:
    literal = "('nc' # c\n 'cl')"
    edits = literal_becomes(literal_of(SourceFile(f"x = {literal}\n")), "hccl")
    assert edited(literal, edits) == "x = ('hccl' # c\n '')\n"


@pytest.mark.parametrize(
    ("literal", "text"),
    [("f'{x}'", "npu"), ("r'a'", "'"), ("r'a'", "\\"), ("b'a'", "é"), ("x", "npu"), ("1", "npu")],
)
def test_what_a_literal_cannot_become(literal: str, text: str) -> None:
    assert literal_becomes(literal_of(SourceFile(f"x = {literal}\n")), text) is None


@pytest.mark.parametrize(
    ("literal", "start", "end"), [("f'a{x}b'", 0, 2), ("'a\\nb'", 0, 2), ("'ab'", 1, 3), ("'ab'", 1, 1)]
)
def test_a_part_that_cannot_be_replaced(literal: str, start: int, end: int) -> None:
    assert part_becomes(literal_of(SourceFile(f"x = {literal}\n")), start, end, "npu") is None


def test_a_word_that_is_not_there() -> None:
    assert word_becomes(literal_of(SourceFile("x = 'cuda'\n")), "cuda", "npu", 1) is None
