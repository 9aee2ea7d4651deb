"""How much work a cause is, as a class that its rule and its fixes decide."""

from __future__ import annotations

import enum

import attrs

from gpu2ascend_rules import Family, rule_by_code
from gpu2ascend_rules.model.finding import Applicability, Finding, Message, Severity

_OTHER_CODE = (Family.KERNEL, Family.SOURCES, Family.THIRD_PARTY, Family.SUPPORT)
"""Families whose errors ask for another operator, library or kernel."""
_MANY = 10


class Effort(enum.Enum):
    """The class of a cause's effort."""

    LOW = "low"
    """A fix is offered at every place, or there is only something to decide."""
    MEDIUM = "medium"
    """A person writes the lines; the message says what."""
    HIGH = "high"
    """An operator, library or kernel must be replaced or built, or there are more than ten places."""


Key = tuple[str, str, str | None]


def cause_of(finding: Finding) -> Key:
    """What findings have in common that are one thing to do: the rule says the same of the same API."""
    return finding.code, finding.message.id, finding.api


def is_to_do(finding: Finding) -> bool:
    """Whether something is left to a person: hints and advice are not."""
    return finding.severity is not Severity.HINT and not finding.is_advice


@attrs.define
class Findings:
    """What decides the class of a cause, of all its findings. It does not grow with them."""

    code: str
    total: int = 0
    _has_manual: bool = False
    _has_error: bool = False
    _has_statement: bool = False
    """Whether one is more than information."""

    def add(self, finding: Finding) -> None:
        """Note a finding."""
        self.total += 1
        self._has_manual |= finding.applicability is Applicability.MANUAL
        self._has_error |= finding.severity is Severity.ERROR
        self._has_statement |= finding.severity is not Severity.INFORMATION

    @property
    def is_fixable(self) -> bool:
        """Whether a fix is offered at every place."""
        return not self._has_manual

    @property
    def is_replaced(self) -> bool:
        """Whether an operator, a library or a kernel must be replaced: then numbers are to be compared."""
        rule = rule_by_code(self.code)
        return self._has_error and rule is not None and rule.family in _OTHER_CODE

    @property
    def effort(self) -> Effort:
        """The class."""
        return self._estimate[0]

    @property
    def because(self) -> Message:
        """Why it is that class."""
        return self._estimate[1]

    @property
    def _estimate(self) -> tuple[Effort, Message]:
        if self.is_fixable:
            return Effort.LOW, Message.of("handover.because-fixes")
        if self.is_replaced:
            return Effort.HIGH, Message.of("handover.because-replaced")
        if self._has_error and self.total > _MANY:
            return Effort.HIGH, Message.of("handover.because-places", count=_MANY)
        if not self._has_statement:
            return Effort.LOW, Message.of("handover.because-decision")
        return Effort.MEDIUM, Message.of("handover.because-lines")
