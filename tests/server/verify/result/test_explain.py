"""The table of causes: every entry has its texts in both languages, and none hides another."""

from __future__ import annotations

import pytest

from gpu2ascend.verify.result.explain import causes
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.messages import translated

NAMES = sorted({cause.name for cause in causes()})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_cause_says_why_and_what_to_do(name: str, language: str) -> None:
    texts = translated(language)
    assert texts[f"verify.cause.{name}.cause"] and texts[f"verify.cause.{name}.remedy"]


def test_every_text_belongs_to_a_cause() -> None:
    prefix = "verify.cause."
    named = {key.split(".")[2] for key in translated("en") if key.startswith(prefix)}
    assert named == set(NAMES)


def test_the_rules_that_are_named_exist() -> None:
    codes = {rule.code for rule in all_rules()}
    assert {code for cause in causes() for code in cause.rules} <= codes
