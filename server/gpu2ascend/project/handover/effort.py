"""How much work an order is, as a class that its rule and its fixes decide, and why it is that class."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import NamedTuple

from gpu2ascend_rules import Family, rule_by_code
from gpu2ascend_rules.model.finding import Applicability, Finding, Message, Severity

_OTHER_CODE = (Family.KERNEL, Family.SOURCES, Family.THIRD_PARTY, Family.SUPPORT)
"""Families whose errors ask for another operator, library or kernel."""
MANY = 10


class Effort(enum.Enum):
    """The class of an order's effort."""

    LOW = "low"
    """A fix is offered at every place, or there is only something to decide."""
    MEDIUM = "medium"
    """A person writes the lines; the message says what."""
    HIGH = "high"
    """An operator, library or kernel must be replaced or built, or there are more than ten places."""


class Estimate(NamedTuple):
    """The class of an order, and why it is that one."""

    effort: Effort
    because: Message


def effort_of(findings: Sequence[Finding], total: int) -> Estimate:
    """The class of an order with these findings, the first of ``total``."""
    if all(finding.applicability is not Applicability.MANUAL for finding in findings):
        return Estimate(Effort.LOW, Message.of("handover.because-fixes"))
    if is_replaced(findings):
        return Estimate(Effort.HIGH, Message.of("handover.because-replaced"))
    if _has_error(findings) and total > MANY:
        return Estimate(Effort.HIGH, Message.of("handover.because-places", count=MANY))
    if all(finding.severity is Severity.INFORMATION for finding in findings):
        return Estimate(Effort.LOW, Message.of("handover.because-decision"))
    return Estimate(Effort.MEDIUM, Message.of("handover.because-lines"))


def is_replaced(findings: Sequence[Finding]) -> bool:
    """Whether an operator, a library or a kernel must be replaced: then numbers are to be compared."""
    rule = rule_by_code(findings[0].code)
    return _has_error(findings) and rule is not None and rule.family in _OTHER_CODE


def _has_error(findings: Sequence[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)
