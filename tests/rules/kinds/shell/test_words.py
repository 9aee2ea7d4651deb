"""Which option gets a word, and which variables a word names."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.shell.places import Word
from gpu2ascend_rules.kinds.shell.words import arguments_of, options_of, variable_in, variables_in


def words(text: str) -> tuple[Word, ...]:
    parts = text.split()
    return tuple(Word(0, len(part), None if "$" in part else part, part) for part in parts)


def test_an_option_gets_the_word_behind_it_or_behind_its_equals_sign() -> None:
    found = [(option, word.raw) for option, word in options_of(words("t.py --a 1 --b=2 -c 3"))]
    assert found == [("--a", "1"), ("--b", "2"), ("-c", "3")]


def test_a_word_behind_no_option_is_an_argument() -> None:
    found = [(item.option, item.word.raw) for item in arguments_of(words("t.py x --a=1 y"))]
    assert found == [("", "x"), ("--a", "1"), ("", "--a=1"), ("", "y")]


def test_words_up_to_the_program_are_left_out() -> None:
    found = [(item.nth, item.word.raw) for item in arguments_of(words("python -u t.py --a 1"), 2)]
    assert found == [(3, "--a"), (4, "1")]


@pytest.mark.parametrize("raw", ["$A", "${A}", '"$A"', '"${A[@]}"', "${A[*]}"])
def test_a_word_that_is_a_variable_and_nothing_else(raw: str) -> None:
    assert variable_in(Word(0, len(raw), None, raw)) == "A"


@pytest.mark.parametrize("raw", ["$A/b", "a$A", "${A:-0}", "$1", "A"])
def test_a_word_that_is_more_than_a_variable(raw: str) -> None:
    assert variable_in(Word(0, len(raw), None, raw)) == ""


def test_every_variable_that_a_word_names_counts_each_time() -> None:
    assert variables_in(Word(0, 0, None, '"$A/${B:-$A}"')) == ["A", "B", "A"]
