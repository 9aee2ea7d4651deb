"""What a rule need not state, because its class and its code say it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.rule import Family, Rule


def test_a_rule_has_the_family_of_its_code_and_the_name_of_its_class() -> None:
    made = type("SomeThing", (Rule,), {"code": "NPU399"})
    assert (made.name, made.family) == ("some-thing", Family.AMP)


def test_what_a_rule_states_counts() -> None:
    made = type("SomeThing", (Rule,), {"code": "XYZ1", "name": "other", "family": Family.CUSTOM})
    assert (made.name, made.family) == ("other", Family.CUSTOM)


def test_a_code_of_no_family_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"XYZ1: no family has such codes; .* state its `family`"):
        type("SomeThing", (Rule,), {"code": "XYZ1"})
