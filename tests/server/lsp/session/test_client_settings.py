"""An editor's settings, of whatever shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.lsp.session.client_settings import ClientSettings, client_settings, over
from gpu2ascend_rules.messages import LANGUAGES, render


def test_options_and_what_only_the_server_knows() -> None:
    values = {
        "version": "2.8.0",
        "language": "zh",
        "codeLens": False,
        "projectInterpreter": "/env/bin/python",
    }
    assert client_settings(values) == ClientSettings(
        {"version": "2.8.0"}, "zh", False, Path("/env/bin/python"), ()
    )


def test_the_section_may_be_named_or_not() -> None:
    assert client_settings({"gpu2ascend": {"hardware": "A3"}}) == client_settings({"hardware": "A3"})


@pytest.mark.parametrize("values", [None, {}, {"version": None, "hardware": "", "language": ""}])
def test_what_is_empty_says_nothing(values: object) -> None:
    assert client_settings(values) == ClientSettings()


def test_how_the_client_starts_the_server_is_no_option() -> None:
    values = {"interpreter": "python3", "importStrategy": "useBundled", "trace.server": "off", "trace": {}}
    assert client_settings(values) == ClientSettings()


@pytest.mark.parametrize(
    "values",
    [
        "text",
        7,
        ["a"],
        {"language": "fr"},
        {"codeLens": "yes"},
        {"projectInterpreter": "bin/python"},
        {"projectInterpreter": 3},
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_is_reported_and_costs_only_itself(values: object, language: str) -> None:
    settings = client_settings(values)
    assert len(settings.problems) == 1 and render(settings.problems[0], language)
    assert settings._replace(problems=()) == ClientSettings()


def test_the_stronger_place_decides_where_it_says_anything() -> None:
    weak = ClientSettings(language="zh", code_lens=False)
    assert over(ClientSettings(language="en"), weak) == ClientSettings(language="en", code_lens=False)
