"""How the check of a project ends: how bad it is, by which rules, and what to type next."""

from __future__ import annotations

import io

import pytest

from gpu2ascend.cli.formats.report import CheckReport
from gpu2ascend.cli.output.diagnostics import Diagnostic, RowColumn, ShownFix
from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.cli.pages.check_verdict import TypedCheck, check_verdict_lines
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.model.finding import Applicability, Severity
from tests.telling import tell_ids

TYPED = TypedCheck("proj", ["proj", "--fix", "-v", "2.8.0"], ["-v", "2.8.0"])


@pytest.fixture(autouse=True)
def _ids(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_ids(monkeypatch)


def found(severity: Severity, code: str = "NPU104", fix: Applicability | None = None) -> Diagnostic:
    made = ShownFix(fix, "", ()) if fix is not None else None
    place = RowColumn(1, 1)
    return Diagnostic(code, "", "", severity, None, "a.py", place, place, made)


def lines(*diagnostics: Diagnostic, unsafe_fixes: bool = False) -> list[str]:
    report = CheckReport(diagnostics, unsafe_fixes=unsafe_fixes)
    return list(check_verdict_lines(report, TYPED, Terminal(io.StringIO(), {}), Texts("en")))


def commands(*diagnostics: Diagnostic, unsafe_fixes: bool = False) -> list[str]:
    return [line.strip() for line in lines(*diagnostics, unsafe_fixes=unsafe_fixes) if "  gpu2ascend" in line]


@pytest.mark.parametrize(
    ("severities", "verdict"),
    [
        ([Severity.ERROR, Severity.WARNING, Severity.WARNING], "errors(errors=1, warnings=2)"),
        ([Severity.WARNING, Severity.HINT], "warnings(errors=0, warnings=1)"),
        ([Severity.HINT, Severity.INFORMATION], "notes(errors=0, warnings=0)"),
    ],
)
def test_the_worst_finding_decides_what_is_said(severities: list[Severity], verdict: str) -> None:
    assert lines(*map(found, severities))[0] == f"«cli.check.verdict-{verdict}»"


def test_where_nothing_was_found_nothing_is_said() -> None:
    assert lines() == []
    assert len(lines(found(Severity.HINT))) > 2


EXPLAIN = "gpu2ascend explain NPU104"
MIGRATE = "gpu2ascend migrate -i proj -o out -v 2.8.0"
FIX = "gpu2ascend check proj -v 2.8.0 --fix"
UNSAFE = "gpu2ascend check proj -v 2.8.0 --fix --unsafe-fixes"


@pytest.mark.parametrize(
    ("fixes", "unsafe_fixes", "expected"),
    [
        ([None], False, [EXPLAIN]),
        ([Applicability.SAFE, None], False, [MIGRATE, EXPLAIN, FIX]),
        ([Applicability.UNSAFE], False, [UNSAFE, EXPLAIN]),
        ([Applicability.UNSAFE], True, [MIGRATE, EXPLAIN, FIX]),
        ([Applicability.UNSAFE, Applicability.SAFE], False, [MIGRATE, EXPLAIN, FIX]),
    ],
)
def test_what_can_be_done_now_is_offered(
    fixes: list[Applicability | None], unsafe_fixes: bool, expected: list[str]
) -> None:
    diagnostics = [found(Severity.ERROR, fix=fix) for fix in fixes]
    assert commands(*diagnostics, unsafe_fixes=unsafe_fixes) == expected


def test_the_worst_rule_is_the_one_to_be_explained() -> None:
    items = [found(Severity.HINT, "NPU101"), found(Severity.WARNING, "NPU102")]
    assert commands(*items) == ["gpu2ascend explain NPU102"]


def test_how_many_can_be_fixed_is_said() -> None:
    said = "\n".join(lines(found(Severity.ERROR, fix=Applicability.SAFE), found(Severity.ERROR)))
    assert "«cli.check.next-migrate(count=1)»" in said and "«cli.check.next-fix(count=1)»" in said
    unsafe = lines(*[found(Severity.ERROR, fix=Applicability.UNSAFE)] * 2)
    assert any("«cli.check.next-unsafe(count=2)»" in line for line in unsafe)
