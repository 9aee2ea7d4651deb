"""``--help``: what it says of options, by the kind of value that they take."""

from __future__ import annotations

import re

import pytest

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
    described = run(command, "--help", "--language", "en").out
    entries = re.split(r"\n  (?=-)", described)
    lists = {
        word.rstrip(",") for entry in entries if "comma-separated" in " ".join(entry.split())
        for word in entry.split() if word.startswith("--")
    }  # fmt: skip
    assert lists - {"--target_model"} <= LISTS and {"--select", "--exclude"} <= lists
