"""``--help``: what it says of options, by the kind of value that they take."""

from __future__ import annotations

import re

import pytest

from gpu2ascend.cli.commands import ROOMS
from gpu2ascend.cli.output.terminal import display_width
from gpu2ascend_rules.options.options import option_infos

from .conftest import Run

LISTS = {
    "--api-files",
    "--select",
    "--ignore",
    "--severity",
    "--exclude",
    "--copy",
    "--entry",
    "--main",
    "--target-model",
}


@pytest.mark.parametrize("command", ["migrate", "check"])
def test_only_options_that_take_lists_say_so(run: Run, command: str) -> None:
    described = run(command, "--help-all", "--language", "en").out
    entries = re.split(r"\n  (?=-)", described)
    lists = {
        word.rstrip(",") for entry in entries if "comma-separated" in " ".join(entry.split())
        for word in entry.split() if word.startswith("--")
    }  # fmt: skip
    assert lists - {"--target_model"} <= LISTS and {"--select", "--exclude"} <= lists


@pytest.mark.parametrize("command", ["migrate", "check", "analyze"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_fits_on_a_screen_and_no_line_is_wider(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str, language: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short = run(command, "--help", "--language", language).out.splitlines()
    long = run(command, "--help-all", "--language", language).out.splitlines()
    assert len(short) < 60 < len(long)
    assert all(display_width(line) <= 80 for line in long)


@pytest.mark.parametrize("command", [None, *ROOMS])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("flag", ["--help", "--help-all"])
def test_every_command_has_both_helps_in_80_columns(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str | None, language: str, flag: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("--language", language, *([command] if command else []), flag)
    assert ran.code == 0 and "gpu2ascend" in ran.out
    assert [line for line in ran.out.splitlines() if display_width(line) > 80] == []


def test_help_all_explains_every_option(run: Run) -> None:
    shown = run("migrate", "--help-all").out
    hidden = {flag for info in option_infos().values() for flag in info.flags if "migrate" in info.commands}
    assert hidden and all(flag in shown for flag in hidden)
    assert "--api-style" in shown and "--api-style" not in run("migrate", "--help").out
