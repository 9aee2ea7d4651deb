"""Defects of rules as findings: each is reported at its place, and costs nothing but what it is about."""

from __future__ import annotations

from .custom_rule import PREFIX as PREFIX_OF_CUSTOM
from .finding import ADVICE, Finding, Message, Severity

_IDS = frozenset({"defect.rule", "defect.fix", "defect.own-fix"})
_LONGEST = 200

BREAKS = Message.of("defect.breaks")
"""Why a fix is not made that would leave a text which does not parse."""


def raised(error: Exception) -> str:
    """What to say of an exception that should not have happened."""
    return f"{type(error).__name__}: {error}".strip(": ")[:_LONGEST]


def failed_rule(code: str, start: int, end: int, error: Exception) -> Finding:
    """That a rule failed at a place, where it may have had something to report."""
    return Finding(code, start, end, Message.of("defect.rule", detail=raised(error)), Severity.ERROR)


def refused(finding: Finding, reason: Message | str) -> Finding:
    """A finding whose fix was not made, since that would do harm: a person must do what it says."""
    whose = "defect.own-fix" if finding.code.startswith(PREFIX_OF_CUSTOM) else "defect.fix"
    message = Message.of(whose, finding=finding.message, reason=reason)
    kind = "" if finding.kind == ADVICE else finding.kind
    return finding._replace(message=message, severity=Severity.ERROR, fix=None, kind=kind)


def is_defect(finding: Finding) -> bool:
    """Whether a finding is about a defect of a rule, ours or the user's own."""
    return finding.message.id in _IDS
