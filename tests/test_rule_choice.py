"""``--rule CODE`` passes over no file of tests that has something for the rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend_rules.engine.registry import all_rules
from tests.rule_choice import may_regard

CODES = {rule.code for rule in all_rules()}
_CODE = re.compile(r"[A-Z]+\d{3,4}")


def test_every_test_that_is_named_after_a_rule_is_in_a_file_that_is_looked_at(
    request: pytest.FixtureRequest,
) -> None:
    """Of the tests of this run, which are all of them if all are run; those of a rule are below."""
    missed = {
        item.nodeid
        for item in request.session.items
        for code in CODES.intersection(_CODE.findall(item.nodeid))
        if not may_regard(item.path, code)
    }
    assert missed == set()


def test_a_file_is_looked_at_for_the_rule_that_it_names(tmp_path: Path) -> None:
    file = tmp_path / "test_some.py"
    file.write_text("CASES = ['NPU110']\n", encoding="utf-8")
    assert may_regard(file, "NPU110") and not may_regard(file, "NPU201")


def test_a_file_with_a_test_for_each_rule_is_looked_at_for_any(tmp_path: Path) -> None:
    file = tmp_path / "test_some.py"
    file.write_text("RULES = all_rules()\n", encoding="utf-8")
    assert may_regard(file, "NPU110") and may_regard(file, "NPU201")
