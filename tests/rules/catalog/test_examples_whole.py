"""All that is said of the examples of a rule: places, messages with arguments, severities, titles of fixes.

Beside what the examples state themselves (the texts after the fixes), in ``goldens/CODE.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.kinds.registry import text_file
from tests.golden import agrees, described
from tests.rules.example_options import options_of

GOLDENS = Path(__file__).with_name("goldens")


def outcome(rule: Rule) -> Iterator[str]:
    """What the rule says of its examples, without those of which it says nothing."""
    for number, example in enumerate(rule.examples):
        source = text_file(example.before, example.path)
        findings = check(source, options_of(example, select=[rule.code]))
        if findings:
            yield f"# example {number}"
            yield from described(findings, source.lines, source.data)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_what_is_said_of_the_examples(rule: Rule) -> None:
    agrees(GOLDENS / f"{rule.code}.txt", "".join(f"{line}\n" for line in outcome(rule)))


@pytest.mark.every_rule
def test_every_golden_is_of_a_rule_that_there_is() -> None:
    assert {path.stem for path in GOLDENS.iterdir()} == {rule.code for rule in all_rules()}
