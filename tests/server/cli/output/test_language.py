"""The language is the flag's, else the settings', else the locale's, else English."""

from __future__ import annotations

import pytest

from gpu2ascend.cli.output.errors import UsageError
from gpu2ascend.cli.output.language import choose_language, language_flag, language_of_environment


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "ZH_tw"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US", "LC_MESSAGES": "zh_CN"}, "zh"),
        ({"LANG": "zh_CN", "LC_ALL": ""}, "zh"),
    ],
)
def test_locale(environ: dict[str, str], language: str) -> None:
    assert language_of_environment(environ) == language


def test_the_first_wish_wins() -> None:
    assert choose_language(None, "zh") == "zh"
    assert choose_language("en", "zh") == "en"


def test_other_languages_are_refused() -> None:
    with pytest.raises(UsageError):
        choose_language("fr")


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (["check", "--language", "zh"], "zh"),
        (["--language=zh", "check"], "zh"),
        (["check", "--language", "zh", "--language", "en"], "en"),
        (["check", "--", "--language", "zh"], None),
        (["check", "--language"], None),
        (["check"], None),
    ],
)
def test_flag_is_found_before_parsing(arguments: list[str], value: str | None) -> None:
    assert language_flag(arguments) == value
