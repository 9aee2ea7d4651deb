"""The class of effort follows from the rule, its severity and its fixes."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report.effort.classes import Effort, Findings
from gpu2ascend_rules.model.finding import Applicability, Finding, Fix, Message, Plan, Severity

FIX = Fix(Message.of("NPU110.title"), Applicability.UNSAFE, Plan())


def finding(code: str, severity: Severity, fix: Fix | None = None) -> Finding:
    return Finding(code, 0, 1, Message.of(f"{code}.title"), severity, fix)


@pytest.mark.parametrize(
    ("findings", "total", "effort"),
    [
        ([finding("NPU601", Severity.ERROR, FIX)], 90, Effort.LOW),
        ([finding("NPU601", Severity.ERROR, FIX), finding("NPU601", Severity.ERROR)], 2, Effort.HIGH),
        ([finding("NPU104", Severity.ERROR)], 10, Effort.MEDIUM),
        ([finding("NPU104", Severity.ERROR)], 11, Effort.HIGH),
        ([finding("NPU601", Severity.WARNING)], 90, Effort.MEDIUM),
        ([finding("NPU601", Severity.INFORMATION)], 90, Effort.LOW),
        ([finding("CUS001", Severity.ERROR)], 1, Effort.MEDIUM),
    ],
)
def test_effort(findings: list[Finding], total: int, effort: Effort) -> None:
    cause = Findings(findings[0].code)
    for _ in range(total - len(findings)):
        cause.add(findings[0])
    for item in findings:
        cause.add(item)
    assert (cause.total, cause.effort) == (total, effort)
