"""The versions that the page of a rule names, and whether it applies to the one that is asked about."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.registry import all_rules

from ..conftest import Run

NOT = "It does not apply to PyTorch"
SPANS = [
    ("NPU412", "Applies to PyTorch 2.0.0 and later.", "2.8.0", "1.11.0"),
    ("NPU302", "Applies to PyTorch up to 2.0.0.", "1.11.0", "2.8.0"),
    ("NPU306", "Applies to PyTorch 2.1.0 to 2.4.0.", "2.1.0", "2.8.0"),
]


@pytest.mark.parametrize(("code", "said", "inside", "outside"), SPANS)
def test_a_rule_for_some_versions_says_which(
    run: Run, code: str, said: str, inside: str, outside: str
) -> None:
    page = run("explain", code, "-v", inside).out
    assert said in page and NOT not in page
    assert f"{NOT} {outside}." in run("explain", code, "-v", outside).out


def test_without_a_version_it_is_not_said_to_apply_to_none(run: Run) -> None:
    for code, said, _, _ in SPANS:
        page = run("explain", code).out
        assert said in page
    whole = next(rule.code for rule in all_rules() if rule.first_version is None is rule.last_version)
    page = run("explain", whole, "-v", "2.8.0").out
    assert whole in page and NOT not in page and "Applies to PyTorch" not in page
