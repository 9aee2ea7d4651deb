"""Every rule is documented, in every language, and no translation is of an earlier text."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.explain import DIGEST, PARTS, digest, documentation, translations

RULES = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)


def _literals(text: str) -> Counter[str]:
    return Counter(" ".join(literal.split()) for literal in _LITERAL.findall(text))


@RULES
def test_the_translation_is_of_the_text_that_stands_in_the_code(rule: Rule) -> None:
    translated = translations("zh").get(rule.code, {})
    assert translated.get(DIGEST) == digest(rule), "see docs/translate_rules.py"


@RULES
def test_every_part_is_in_chinese_and_names_the_same_code(rule: Rule) -> None:
    english, chinese = documentation(rule), translations("zh")[rule.code]
    for part in PARTS.values():
        text = chinese.get(part, "")
        assert bool(text) == bool(english.get(part))
        assert _literals(text) == _literals(english.get(part, ""))
        assert not text or re.search("[\u4e00-\u9fff]", text) or not re.sub(r"``.+?``|\W", "", text)


def test_there_is_no_translation_of_a_rule_that_is_gone() -> None:
    assert set(translations("zh")) == {rule.code for rule in all_rules()}


def test_what_is_not_translated_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = all_rules()[0]
    monkeypatch.setattr("gpu2ascend_rules.explain.translations", lambda language: {})
    assert documentation(rule, "zh") == documentation(rule)
