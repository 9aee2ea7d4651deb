"""Every code of the distributed rule is explained, as those of rules are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend_rules.codemods import distributed
from gpu2ascend_rules.codemods.distributed.on_request import STEPS
from gpu2ascend_rules.engine.registry import all_rules, rule_by_code
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.messages import catalogue

PARTS = ("What it does:", "Why it matters on the NPU:", "Example:", "Use instead:")
ROOT = Path(__file__).parents[4]
FOLDER = Path(distributed.__file__).parent


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.code)
def test_a_code_has_documentation_in_four_parts_and_a_title(step: Rule) -> None:
    doc = type(step).__doc__ or ""
    places = [doc.find(part) for part in PARTS]
    assert -1 not in places and places == sorted(places)
    assert f"{step.code}.title" in catalogue("en")
    assert type(rule_by_code(step.code)) is type(step)


def test_the_page_names_tests_that_exist_and_every_code() -> None:
    page = (ROOT / "docs/distributed.md").read_text(encoding="utf-8")
    for path, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page):
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), name
    _, _, table = page.partition("## Tests of this behaviour")
    assert [step.code for step in STEPS if f"| {step.code} |" not in table] == []


def test_no_rule_has_such_a_code() -> None:
    assert {rule.code for rule in all_rules()}.isdisjoint(step.code for step in STEPS)


def test_every_code_that_is_used_is_documented() -> None:
    used = {code for path in FOLDER.glob("*.py") for code in re.findall(r'"(NPU\d{3})"', path.read_text())}
    assert used == {step.code for step in STEPS}
