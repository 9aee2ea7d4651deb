"""The commands that a summary proposes."""

from __future__ import annotations

import shlex
import sys

import pytest

from gpu2ascend.cli.output.next_commands import command_line, next_lines, without
from gpu2ascend.texts.catalogue import Texts

COMMANDS = [("check .", "see"), ("migrate -i .", "change"), ("verify .", "prove"), ("doctor", "look")]


@pytest.mark.parametrize("count", [1, 3, 4])
def test_the_first_three_are_shown_each_below_what_it_is_for(count: int) -> None:
    _, *rest = next_lines(COMMANDS[:count], Texts("en"))
    expected = [line for command, why in COMMANDS[: min(count, 3)] for line in (f"  # {why}", f"  {command}")]
    assert rest == expected


def test_without_commands_nothing_is_said() -> None:
    assert list(next_lines([], Texts("en"))) == []
    assert len(list(next_lines(COMMANDS[:1], Texts("en")))) == 3


def test_flags_are_left_out_wherever_they_stand() -> None:
    assert without(["check", "--fix", "a", "--diff", "--fix"], "--fix", "--diff") == ["check", "a"]


@pytest.mark.skipif(sys.platform == "win32", reason="another shell")
@pytest.mark.parametrize("word", ["a b", "it's", "$HOME", "a;b", "*", '"', ""])
def test_a_word_reaches_the_program_as_it_is(word: str) -> None:
    line = command_line("gpu2ascend", "check", word)
    assert shlex.split(line) == ["gpu2ascend", "check", word]
    assert "'" in line, "which a shell does not look into"
