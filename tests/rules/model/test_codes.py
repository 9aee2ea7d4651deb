"""Patterns of codes."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.dispatch import is_chosen, names_a_rule
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.model.codes import matched_length


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        *(("NPU1", "NPU101"), ("NPU10", "NPU101"), ("NPU101", "NPU101"), ("npu10", "NPU101")),
        *(("NPU1xx", "NPU101"), ("NPU10xx", "NPU1001"), ("npu10XX", "NPU1011"), ("NPU101x", "NPU1011")),
        *(("NPU1xxx", "NPU1301"), ("NPU1001", "NPU1001"), ("NPU", "NPU1001"), ("", "NPU1001")),
    ],
)
def test_a_pattern_matches(pattern: str, code: str) -> None:
    assert matched_length(pattern, code) >= 0


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        *(("NPU1", "NPU1001"), ("NPU10", "NPU1001"), ("NPU101", "NPU1011"), ("NPU1xx", "NPU1001")),
        *(("NPU10xx", "NPU101"), ("NPU10xx", "NPU1101"), ("NPU2", "NPU101")),
    ],
)
def test_a_pattern_of_another_length_or_family_does_not(pattern: str, code: str) -> None:
    assert matched_length(pattern, code) == -1


def chosen(select: tuple[str, ...], ignore: tuple[str, ...] = ()) -> set[str]:
    return {rule.code for rule in all_rules() if is_chosen(rule, select, ignore)}


def test_the_beginning_of_a_family_selects_rules_for_python_only() -> None:
    assert "NPU101" in chosen(("NPU10",))
    assert {len(code) for code in chosen(("NPU10",))} == {len("NPU101")}


def test_one_code_outweighs_its_family() -> None:
    assert chosen(("NPU1001",), ("NPU10xx",)) == {"NPU1001"}


def test_a_family_in_which_no_rule_is_names_none() -> None:
    assert names_a_rule("NPU13xx")
    assert not names_a_rule("NPU99xx")
