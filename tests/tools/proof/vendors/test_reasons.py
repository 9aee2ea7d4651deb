"""A failure of the vendor's tests is counted by its reason, or shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.proof.vendors.reasons import ON_NPUS, outcomes, summary

REPORT = """<testsuites><testsuite>
<testcase name="passes"/>
<testcase name="is_skipped"><skipped message="no NPU"/></testcase>
<testcase name="is_fused"><failure message="x">
EZ3003: The emulated CANN does not compute the operator Iou.
</failure></testcase>
<testcase name="fails_there" classname="test_a.TestA">
<error message="x">RuntimeError: on an NPU</error></testcase>
<testcase name="is_wrong" classname="test_a.TestA">
<failure message="AssertionError: 1 != 2">assert 1 == 2</failure></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report of pytest."""
    path = tmp_path / "report.xml"
    path.write_text(REPORT, "utf-8")
    return path


def test_what_has_a_reason_is_counted_and_what_has_none_is_shown(report: Path) -> None:
    found = summary(outcomes(report, "test_a.py"), {"fails_there (__main__.TestA)"})
    assert (found.passed, found.skipped) == (1, 1)
    assert dict(found.failed) == {"a fused operator without a plain formula here": 1, ON_NPUS: 1}
    assert [outcome.name for outcome in found.unexplained] == ["is_wrong (__main__.TestA)"]
