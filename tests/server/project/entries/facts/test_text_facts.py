"""What scripts, documents and settings say of programs, and what a file costs that says nothing."""

from __future__ import annotations

import re

import pytest

from gpu2ascend.project.entries.facts import text_facts as module
from gpu2ascend.project.entries.facts.text_facts import Command, text_facts


class Counted:
    """A pattern that counts the texts which it divides."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.texts = 0

    def split(self, text: str) -> list[str]:
        self.texts += 1
        return self.pattern.split(text)


@pytest.mark.parametrize(
    ("text", "divided", "commands"),
    [
        ("lr: 0.1\nmodel: net\n", 0, ()),
        ("run: python train.py\n", 1, (Command(("train.py",)),)),
        ("run: python -m tool.train\n", 1, (Command(module="tool.train"),)),
    ],
)
def test_only_a_file_that_names_a_program_is_looked_through_line_by_line(
    text: str, divided: int, commands: tuple[Command, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = Counted(module._BETWEEN)
    monkeypatch.setattr(module, "_BETWEEN", lines)
    assert text_facts("run.yaml", text.encode()).commands == commands
    assert lines.texts == divided


def test_what_users_link_as_data_is_no_code_that_they_bring() -> None:
    text = b"```\nln -s {waves_path} ./waves\nln -s {scenes_path} ./data/scenes\n```\n"
    assert text_facts("INSTALL.md", text).fetched == ("waves",)
