"""Links to where a rule is explained lead there."""

from __future__ import annotations

import pytest

from gpu2ascend.lsp.pages.documentation import link, page, path_of_page
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.messages import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_what_the_rules_say(language: str) -> None:
    written = path_of_page(language).read_text(encoding="utf-8")
    assert written == page(language), "run: python docs/build_rules.py"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_a_link_to_its_heading(language: str) -> None:
    lines = path_of_page(language).read_text(encoding="utf-8").split("\n")
    for rule in all_rules():
        target = link(rule.code, language)
        assert target is not None
        address, _, line = target.partition("#L")
        assert address == path_of_page(language).as_uri()
        assert lines[int(line) - 1].startswith(f"### {rule.code} ")


def test_rules_of_the_users_own_have_none() -> None:
    assert link("MINE1", "en") is None
