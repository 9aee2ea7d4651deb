"""A command with any name in it comes back from the shell as the same words; none of it acts on a screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from gpu2ascend.texts.escaping import terminal_line
from gpu2ascend.texts.shell import command_line, shell_line, shell_word

NAMES = [
    "train.py",
    "a b",
    "it's",
    'say "x"',
    "$HOME",
    "$(touch x)",
    "`touch x`",
    "a;b",
    "*",
    "",
    "train\ntouch.py",
    "tab\there",
    "back\\slash\n'quote'\r",
    "\x1b[31mred\x1b[0m\x01" + "23",
    "数据.py",
    "数据\n1.py",
    "a\u202eyp.txt",
    "\u200b0.py",
    "bytes-\udcff\udce97.py",
    "##[error]x",
    "::error::x",
    "!history",
    "~root",
    "-x.py",
]


def words_of(line: str) -> list[str]:
    """What a program gets of a line that is pasted into a shell."""
    script = f'set -- {line}\nfor word; do printf "%s\\0" "$word"; done'
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return [os.fsdecode(word) for word in ran.stdout.split(b"\0")[:-1]]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_word_reaches_the_program_as_it_is(name: str) -> None:
    assert words_of(shell_line("gpu2ascend", "check", name)) == ["gpu2ascend", "check", name]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_terminal_shows_the_line_that_was_made(name: str) -> None:
    line = f"  {shell_line('gpu2ascend', 'check', name)}"
    assert terminal_line(line) == line and "\n" not in line


def test_usual_names_are_written_as_ever() -> None:
    assert shell_line("a b", "x.py", "$HOME") == "'a b' x.py '$HOME'"


def test_a_line_end_is_written_out() -> None:
    assert shell_word("train\ntouch.py") == r"$'train\ntouch.py'"


def test_a_path_is_not_taken_for_an_option() -> None:
    line = shell_line("verify", Path("-out"), "--", PurePosixPath("-x.py"), "--flag")
    assert line == "verify ./-out -- ./-x.py --flag"
    assert shell_word(PurePosixPath("-x\n.py")) == r"$'./-x\n.py'"


def test_windows_has_its_own_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert command_line("a b") == "'a b'"
    monkeypatch.setattr(sys, "platform", "win32")
    words = ["check", "a b", 'say "x"']
    assert command_line(*words) == subprocess.list2cmdline(words)
