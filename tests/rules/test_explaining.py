"""Rules are documented, translations say the same, and no translation of an earlier text is shown."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from gpu2ascend_rules.engine.registry import all_codes, all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.explaining import DIGEST, PARTS, digest, documentation, translations

RULES = pytest.mark.parametrize("rule", all_codes(), ids=lambda rule: rule.code)
_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)


def _literals(text: str) -> Counter[str]:
    return Counter(" ".join(literal.split()) for literal in _LITERAL.findall(text))


TRANSLATED = pytest.mark.parametrize(
    "rule",
    [rule for rule in all_codes() if translations("zh").get(rule.code, {}).get(DIGEST) == digest(rule)],
    ids=lambda rule: rule.code,
)


@RULES
def test_a_translation_of_an_earlier_text_is_not_shown(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = {rule.code: {DIGEST: "earlier", "what": "以前的说明"}}
    monkeypatch.setattr("gpu2ascend_rules.explaining.translations", lambda language: earlier)
    assert documentation(rule, "zh") == documentation(rule)


@TRANSLATED
def test_every_part_is_in_chinese_and_names_the_same_code(rule: Rule) -> None:
    english, chinese = documentation(rule), translations("zh")[rule.code]
    for part in PARTS.values():
        text = chinese.get(part, "")
        assert bool(text) == bool(english.get(part))
        assert _literals(text) == _literals(english.get(part, ""))
        assert not text or re.search("[\u4e00-\u9fff]", text) or not re.sub(r"``.+?``|\W", "", text)


@pytest.mark.every_rule
def test_there_is_no_translation_of_a_rule_that_is_gone() -> None:
    assert set(translations("zh")) <= {rule.code for rule in all_codes()}


def test_what_is_not_translated_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = all_rules()[0]
    monkeypatch.setattr("gpu2ascend_rules.explaining.translations", lambda language: {})
    assert documentation(rule, "zh") == documentation(rule)
