"""How much work an order is, as a class that its rule and its fixes decide."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from gpu2ascend_rules import Family, rule_by_code
from gpu2ascend_rules.model.finding import Applicability, Finding, Severity

_OTHER_CODE = (Family.KERNEL, Family.SOURCES, Family.THIRD_PARTY, Family.SUPPORT)
"""Families whose errors ask for another operator, library or kernel."""
_MANY = 10


class Effort(enum.Enum):
    """The class of an order's effort."""

    LOW = "low"
    """A fix is offered at every place, or there is only something to decide."""
    MEDIUM = "medium"
    """A person writes the lines; the message says what."""
    HIGH = "high"
    """An operator, library or kernel must be replaced or built, or there are more than ten places."""


def effort_of(findings: Sequence[Finding], total: int) -> Effort:
    """The class of an order with these findings, the first of ``total``."""
    if all(finding.applicability is not Applicability.MANUAL for finding in findings):
        return Effort.LOW
    is_error = any(finding.severity is Severity.ERROR for finding in findings)
    rule = rule_by_code(findings[0].code)
    if is_error and (total > _MANY or (rule is not None and rule.family in _OTHER_CODE)):
        return Effort.HIGH
    is_question = all(finding.severity is Severity.INFORMATION for finding in findings)
    return Effort.LOW if is_question else Effort.MEDIUM
