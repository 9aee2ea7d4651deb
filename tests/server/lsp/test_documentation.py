"""Links to where a rule is explained lead there."""

from __future__ import annotations

from gpu2ascend.lsp.documentation import PAGE, link, page
from gpu2ascend_rules.catalog import all_rules


def test_the_page_says_what_the_rules_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python docs/build_rules.py"


def test_every_rule_has_a_link_to_its_heading() -> None:
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    for rule in all_rules():
        target = link(rule.code)
        assert target is not None
        address, _, line = target.partition("#L")
        assert address == PAGE.as_uri()
        assert lines[int(line) - 1].startswith(f"### {rule.code} ")


def test_rules_of_the_users_own_have_none() -> None:
    assert link("MINE1") is None
