"""The class of effort follows from the rule, its severity and its fixes."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report.effort.classes import Effort, Findings
from gpu2ascend_rules.model.finding import Applicability, Finding, Fix, Message, Plan, Severity

FIX = Fix(Message.of("NPU110.title"), Applicability.UNSAFE, Plan())


def finding(code: str, severity: Severity, fix: Fix | None = None) -> Finding:
    return Finding(code, 0, 1, Message.of(f"{code}.title"), severity, fix)


OFFERED = [finding("NPU601", Severity.ERROR, FIX)]


@pytest.mark.parametrize(
    ("findings", "total", "effort", "because"),
    [
        (OFFERED, 90, Effort.LOW, "fixes"),
        (
            [finding("NPU601", Severity.ERROR, FIX), finding("NPU601", Severity.ERROR)],
            2,
            Effort.HIGH,
            "replaced",
        ),
        ([finding("NPU104", Severity.ERROR)], 10, Effort.MEDIUM, "lines"),
        ([finding("NPU104", Severity.ERROR)], 11, Effort.HIGH, "places"),
        ([finding("NPU601", Severity.WARNING)], 90, Effort.MEDIUM, "lines"),
        ([finding("NPU601", Severity.INFORMATION)], 90, Effort.LOW, "decision"),
        ([finding("CUS001", Severity.ERROR)], 1, Effort.MEDIUM, "lines"),
    ],
)
def test_effort_and_why(findings: list[Finding], total: int, effort: Effort, because: str) -> None:
    cause = Findings(findings[0].code)
    for _ in range(total - len(findings)):
        cause.add(findings[0])
    for item in findings:
        cause.add(item)
    assert (cause.total, cause.effort) == (total, effort)
    assert cause.because.id == f"handover.because-{because}"
