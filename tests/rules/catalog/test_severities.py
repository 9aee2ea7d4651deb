"""How grave each finding of each example is, stated beside the rules in ``severities.tsv``.

The severity is what happens at run time. ``error``: it raises, or is silently wrong. ``warning``: it silently
loses the device or much speed. ``information``: restricted, or to be decided. ``hint``: advice. A row has a
message, what its fix is (``safe``, ``unsafe``, or ``manual`` where a person must act), and how grave that is.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.kinds.registry import text_file
from tests.rules.example_options import options_of

TABLE = Path(__file__).with_name("severities.tsv")


Row = tuple[str, ...]


def stated() -> dict[str, set[Row]]:
    """The rows by the code of the rule."""
    table: dict[str, set[Row]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="\t"):
            table.setdefault(row[0].partition(".")[0], set()).add(tuple(row))
    return table


STATED = stated()


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_findings_of_the_examples_are_as_grave_as_stated(rule: Rule) -> None:
    found = {
        (finding.message.id, finding.applicability.value, finding.severity.value)
        for example in rule.examples
        for finding in check(text_file(example.before, example.path), options_of(example, select=[rule.code]))
    }
    assert found == STATED.get(rule.code, set()), f"state what is right in {TABLE.name}"


@pytest.mark.every_rule
def test_every_row_is_of_a_rule_that_there_is() -> None:
    assert STATED.keys() <= {rule.code for rule in all_rules()}
    words = {row[2] for rows in STATED.values() for row in rows}
    assert words == {"error", "warning", "information", "hint"}
