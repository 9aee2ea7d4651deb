"""Code that raises on an NPU is an error until a fix that a migration makes mends it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Applicability, Finding, Severity
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.example_options import options_of

FAILING = [rule for rule in all_rules() if rule.fails]


def _found(rule: Rule) -> list[Finding]:
    return [
        finding
        for example in rule.examples
        for finding in check(text_file(example.before, example.path), options_of(example, select=[rule.code]))
    ]


@pytest.mark.parametrize("rule", FAILING, ids=lambda rule: rule.code)
def test_what_fails_is_an_error_while_nobody_makes_the_fix(rule: Rule) -> None:
    severities = {
        finding.severity
        for finding in _found(rule)
        if finding.message.id.partition(".")[2] in rule.fails
        and finding.applicability is not Applicability.SAFE
    }
    assert Severity.ERROR in severities
    assert Severity.WARNING not in severities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.cuda.nvtx.mark('step')\n", Severity.ERROR),
        ("torch.cuda.nvtx.range_push('step')\n", Severity.ERROR),
        ("torch.distributed.all_reduce(torch.zeros(2, dtype=torch.float64))\n", Severity.ERROR),
        ("torch.optim.Adam(p, fused=True)\n", Severity.ERROR),
        ("torch.cuda.synchronize()\n", Severity.WARNING),
        ("torch.backends.cudnn.allow_tf32 = True\n", Severity.WARNING),
    ],
)
def test_an_unsafe_fix_mends_nothing_and_a_safe_one_does(text: str, expected: Severity) -> None:
    options: MigrationOptions = options_from({"version": "2.8.0", "advice": False})
    findings = check(SourceFile(f"import torch\n{text}", "t.py"), options)
    assert {finding.severity for finding in findings} == {expected}
