"""Rules that are broken on purpose, as a defect of ours would break them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpu2ascend_rules.engine.registry import rule_by_code
from gpu2ascend_rules.model.finding import Edit, Finding, Plan, Rewrite


def breaks_texts(monkeypatch: pytest.MonkeyPatch, code: str, text: str = ")(=") -> None:
    """Let the fixes of a rule write a text that does not parse."""
    _change_plans(monkeypatch, code, lambda item: Plan((Edit(item.start, item.end, text),)))


def fails_in_rewrites(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let the fixes of a rule fail when their edits are asked for."""
    _change_plans(
        monkeypatch, code, lambda item: Plan((), (Rewrite(item.start, item.end, (("none such", ""),)),))
    )


def _change_plans(monkeypatch: pytest.MonkeyPatch, code: str, plan: Callable[[Finding], Plan]) -> None:
    rule = rule_by_code(code)
    assert rule is not None
    real = type(rule).report

    def report(*arguments: object, **named: object) -> Finding:
        finding: Finding = real(*arguments, **named)  # type: ignore[arg-type]
        fix = finding.fix
        return finding if fix is None else finding._replace(fix=fix._replace(plan=plan(finding)))

    monkeypatch.setattr(type(rule), "report", report)
