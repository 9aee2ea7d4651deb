"""Prose is wrapped at 76 columns, between words or Chinese characters: a screen has 80. Code stays."""

from __future__ import annotations

import pytest

from gpu2ascend.cli.output.terminal import display_width, filled, fitted

WORDS = " ".join(["word"] * 40)
CHINESE = "文" * 100


def test_lines_are_as_long_as_the_width_lets_them_be() -> None:
    lines = filled(WORDS).split("\n")
    assert " ".join(lines) == WORDS
    assert [len(line) for line in lines] == [74, 74, 49]


@pytest.mark.parametrize(("length", "lines"), [(71, 1), (72, 2)])
def test_a_line_may_be_76_columns_and_no_more(length: int, lines: int) -> None:
    text = f"{'a' * length} bcde"
    assert len(filled(text).split("\n")) == lines
    assert filled(text).replace("\n", " ") == text


def test_a_word_that_is_longer_than_a_line_has_one_of_its_own() -> None:
    assert filled(f"a {'b' * 100} c").split("\n") == ["a", "b" * 100, "c"]


def test_chinese_is_divided_anywhere_but_before_the_end_of_a_sentence() -> None:
    lines = filled(CHINESE).split("\n")
    assert "".join(lines) == CHINESE
    assert [display_width(line) for line in lines] == [76, 76, 48]
    assert filled(f"{'文' * 38}。{'文' * 3}").split("\n") == [f"{'文' * 38}。", "文" * 3]


def test_paragraphs_are_wrapped_for_themselves_and_code_stays() -> None:
    code = "    x = 1\n\ty = 2"
    text = f"one\ntwo\n\n\n{code}\n\nthree\n  four"
    assert filled(text) == f"one two\n\n{code}\n\nthree\n  four"
    assert filled("") == ""


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("short", ["short"]),
        ("one two three four", ["one two", "  three", "  four"]),
        ("  a  b  one two three four", ["  a  b  one two", "        three four"]),
        ("    $ a command that is long", ["    $ a command that is long"]),
        ("\x1b[1mone\x1b[0m two three", ["\x1b[1mone\x1b[0m two", "  three"]),
    ],
)
def test_a_line_of_a_page_goes_on_below_its_last_column(line: str, lines: list[str]) -> None:
    assert [*fitted(line, 18 if "  b" in line else 9)] == lines
