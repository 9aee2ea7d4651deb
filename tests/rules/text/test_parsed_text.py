"""Identifiers by their words: all of them in code, none in what nests too deeply to be looked at."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.limits.checkpoints import MAX_NESTING
from gpu2ascend_rules.text.source_file import SourceFile


def lines_of(source: SourceFile, word: str) -> list[int]:
    """The lines, from 1, of the identifiers of a word."""
    return [node.start_point[0] + 1 for node in source.identifiers(word)]


def nested(depth: int) -> str:
    """Code that names ``x`` before, in and behind brackets of a depth."""
    return f"x = 1\ny = {'(' * depth}x{')' * depth}\nz = x\n"


def test_identifiers_are_found_in_code_and_not_in_texts() -> None:
    source = SourceFile("x = 1  # x\ny = 'x'\nz.x = xx\nf(x=x)\n")
    assert lines_of(source, "x") == [1, 3, 4, 4]


@pytest.mark.parametrize("depth", [1, 20])
def test_what_nests_is_found(depth: int) -> None:
    assert lines_of(SourceFile(nested(depth)), "x") == [1, 2, 3]


def test_what_nests_too_deeply_is_left_out_and_the_rest_is_not() -> None:
    source = SourceFile(nested(MAX_NESTING * 2))
    assert source.deep_parts
    assert lines_of(source, "x") == [1, 3]
    assert lines_of(source, "z") == [3]


def test_of_several_deep_parts_each_is_left_out() -> None:
    source = SourceFile(nested(MAX_NESTING * 2) + nested(3) + nested(MAX_NESTING * 3))
    assert source.deep_parts
    assert lines_of(source, "x") == [1, 3, 4, 5, 6, 7, 9]


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("x = 1  # why\n", "# why"),
        ("# why\nx = 1\n", "# why"),
        ("x = '# why'\n", None),
        ("x = f'# why'\n", None),
    ],
)
def test_a_comment_is_found_at_a_place_in_it(text: str, comment: str | None) -> None:
    start = text.index("why")
    assert SourceFile(text).comment_at(start, start + 3) == comment
