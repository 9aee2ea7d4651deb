"""Every rule is documented in four parts and speaks both languages."""

from __future__ import annotations

import re
import string

import pytest

from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.messages import catalogue, translated
from tests.cases import every_case

PARTS = ("What it does:", "Why it matters on the NPU:", "Example:", "Use instead:")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
class TestRule:
    def test_docstring_has_four_parts(self, rule: Rule) -> None:
        doc = type(rule).__doc__ or ""
        places = [doc.find(part) for part in PARTS]
        assert -1 not in places and places == sorted(places)

    def test_code_and_name_are_well_formed(self, rule: Rule) -> None:
        assert re.fullmatch(r"(NPU|CUS|ACC|AUTO|ADV|MS)\d{3,4}", rule.code)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)

    def test_nothing_of_the_skeleton_is_left_to_write(self, rule: Rule) -> None:
        """``make rule`` marks what a person must write."""
        texts = [text for name, text in catalogue("en").items() if name.startswith(f"{rule.code}.")]
        assert len(texts) >= 2, "a title, and what is said"
        assert [text for text in [type(rule).__doc__ or "", *texts] if "TODO" in text] == []

    def test_has_a_title(self, rule: Rule) -> None:
        assert f"{rule.code}.title" in catalogue("en")


@pytest.mark.every_rule
def test_codes_and_names_are_unique() -> None:
    rules = all_rules()
    assert len({rule.code for rule in rules}) == len({rule.name for rule in rules}) == len(rules)


@pytest.mark.every_rule
def test_every_chinese_message_has_an_english_original() -> None:
    assert translated("zh").keys() <= translated("en").keys()


@pytest.mark.parametrize("subject", sorted({name.partition(".")[0] for name in catalogue("en")}))
def test_both_languages_use_the_same_arguments(subject: str) -> None:
    """The subject of a message is the first word of its id: a rule, or what it speaks of."""
    with every_case() as case:
        for message_id in catalogue("en"):
            if message_id.partition(".")[0] == subject:
                with case(message_id):
                    assert fields(catalogue("en")[message_id]) == fields(catalogue("zh")[message_id])


@pytest.mark.every_rule
def test_chinese_texts_are_chinese() -> None:
    assert is_foreign("The same in English: `x`") and not is_foreign("`same_name` {api}")
    assert [message_id for message_id, text in translated("zh").items() if is_foreign(text)] == []


def is_foreign(text: str) -> bool:
    """Whether a text has words, beside code and arguments, and none of them is Chinese."""
    words = re.sub(r"`[^`]*`|\{[^}]*\}", "", text)
    return not re.search(r"[\u4e00-\u9fff]", words) and re.search(r"[A-Za-z]{4,}", words) is not None
