"""Findings counted by rule and severity: the worst first, then the most frequent."""

from __future__ import annotations

import io
from collections import Counter

import pytest

from gpu2ascend.cli.output.causes import Cause, cause_lines, number_of, worst_first
from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.model.finding import Severity
from tests.telling import tell_ids

E, W, I, H = (Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT)  # noqa: E741
COUNTS = Counter(
    {
        Cause(H, "NPU101"): 9,
        Cause(W, "NPU103"): 1,
        Cause(W, "NPU102"): 1,
        Cause(E, "NPU104"): 1,
        Cause(W, "NPU101"): 2,
        Cause(I, "NPU101"): 5,
        Cause(E, "XYZ001"): 30,
    }
)


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_worst_come_first_then_the_most_frequent_then_by_code() -> None:
    assert [(cause.severity, cause.code) for cause, _ in worst_first(COUNTS)] == [
        (E, "XYZ001"),
        (E, "NPU104"),
        (W, "NPU101"),
        (W, "NPU102"),
        (W, "NPU103"),
        (I, "NPU101"),
        (H, "NPU101"),
    ]


@pytest.mark.parametrize(("severity", "number"), [(E, 31), (W, 4), (I, 5), (H, 9)])
def test_how_many_have_a_severity(severity: Severity, number: int) -> None:
    assert number_of(severity, COUNTS) == number


def test_a_line_has_the_count_the_severity_the_code_and_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_ids(monkeypatch)
    lines = list(cause_lines(COUNTS, Terminal(io.StringIO(), {}), Texts("en")))
    assert len(lines) == len(COUNTS)
    assert lines[0] == "  30  «cli.severity.error»        XYZ001"
    assert lines[2].split() == ["2", "«cli.severity.warning»", "NPU101", "cuda-namespace"]
    assert lines[2].startswith("   2  ")


@pytest.mark.parametrize(("count", "more"), [(1, 0), (12, 0), (13, 1), (20, 8)])
def test_a_person_sees_twelve_and_how_many_more_there_are(
    monkeypatch: pytest.MonkeyPatch, count: int, more: int
) -> None:
    tell_ids(monkeypatch)
    counts = {Cause(E, f"NPU{number}"): 1 for number in range(count)}
    lines = list(cause_lines(counts, Terminal(Screen(), {}), Texts("en")))
    assert sum("NPU" in line for line in lines) == min(count, 12)
    assert [line for line in lines if "more" in line] == (
        [f"  «cli.verdict.more(count={more})»"] if more else []
    )
    assert len(list(cause_lines(counts, Terminal(io.StringIO(), {}), Texts("en")))) == count
