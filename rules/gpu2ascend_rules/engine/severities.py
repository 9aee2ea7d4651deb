"""Severities that the user chose in place of those of the rules: ``NPU101=hint``, ``NPU7=information``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..model.codes import matched_length
from ..model.finding import Finding, Severity


def with_chosen_severities(findings: Iterable[Finding], chosen: tuple[str, ...]) -> Iterable[Finding]:
    """The findings with the severities that ``chosen`` (entries ``pattern=level``) gives their rules."""
    if not chosen:
        return findings
    return (
        finding._replace(severity=_chosen(finding.code, chosen) or finding.severity) for finding in findings
    )


@lru_cache(maxsize=4096)
def _chosen(code: str, chosen: tuple[str, ...]) -> Severity | None:
    """Of the patterns that match a rule's code the longest decides; a rule's name is the whole code."""
    best: tuple[int, str] | None = None
    for entry in chosen:
        pattern, _, level = entry.partition("=")
        known = _code_of(pattern)
        length = matched_length(known, code)
        if length >= 0 and (best is None or length >= best[0]):
            best = length, level
    return Severity(best[1]) if best is not None else None


@lru_cache(maxsize=256)
def _code_of(pattern: str) -> str:
    from .registry import rule_by_code

    rule = rule_by_code(pattern) if pattern.islower() else None  # names are in lower case
    return rule.code if rule is not None else pattern.upper()
