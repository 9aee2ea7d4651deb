"""How grave each finding of each example is, stated beside the rules in ``severities.tsv``.

The severity is what happens at run time. ``error``: it raises, or is silently wrong. ``warning``: it silently
loses the device or much speed. ``information``: restricted, or to be decided. ``hint``: advice. A row has a
message and the severities of the findings with it, in the order of the rule's examples.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.example_options import options_of

TABLE = Path(__file__).with_name("severities.tsv")


def stated() -> dict[str, dict[str, list[str]]]:
    """The severities by message, by the code of the rule."""
    table: dict[str, dict[str, list[str]]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for message, severities in csv.reader(file, delimiter="\t"):
            table.setdefault(message.partition(".")[0], {})[message] = severities.split(",")
    return table


STATED = stated()


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_findings_of_the_examples_are_as_grave_as_stated(rule: Rule) -> None:
    found: dict[str, list[str]] = {}
    for example in rule.examples:
        for finding in check(SourceFile(example.before), options_of(example, select=[rule.code])):
            found.setdefault(finding.message.id, []).append(finding.severity.value)
    assert found == STATED.get(rule.code, {}), f"compare {TABLE.name}"


@pytest.mark.every_rule
def test_every_row_is_of_a_rule_that_there_is() -> None:
    assert STATED.keys() <= {rule.code for rule in all_rules()}
    assert {word for rows in STATED.values() for words in rows.values() for word in words} == {
        "error",
        "warning",
        "information",
        "hint",
    }
