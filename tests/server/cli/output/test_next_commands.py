"""The commands that a summary proposes."""

from __future__ import annotations

import pytest

from gpu2ascend.cli.output.next_commands import again, next_lines
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
    assert again(["check", "--fix", "a", "--diff", "--fix"], without=["--fix", "--diff"]) == ["check", "a"]


def test_flags_are_added_once_and_before_the_names_that_are_no_flags() -> None:
    typed = ["check", "--fix", "--", "-x.py", "--fix"]
    assert again(typed, "--fix", "--unsafe") == ["check", "--fix", "--unsafe", "--", "-x.py", "--fix"]
