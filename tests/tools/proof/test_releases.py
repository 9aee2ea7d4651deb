"""What the proof of the releases takes for a fault of the release's own, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.proof.releases.__main__ import Release, unexpected

SOUND = Release("2.8.0", "3.11", "2.8.0", "2.8.0", "numpy", "", "", "")
FAULTY = SOUND._replace(fault="sends what is not received", failing="test_parallel", said="dataType is 4")


def said_of(tmp_path: Path, release: Release, **cases: str) -> list[str]:
    """What is unexpected of tests with what they say where they fail."""
    written = "".join(
        f'<testcase name="{name}[2]">{f"<failure>{text}</failure>" if text else ""}</testcase>'
        for name, text in cases.items()
    )
    report = tmp_path / "tests.xml"
    report.write_text(f"<testsuites><testsuite>{written}</testsuite></testsuites>", "utf-8")
    return list(unexpected(release, report))


def test_a_release_passes_where_all_tests_do(tmp_path: Path) -> None:
    assert said_of(tmp_path, SOUND, test_parallel="", test_program="") == []
    assert said_of(tmp_path, SOUND, test_parallel="dataType is 4") == ["test_parallel[2]: dataType is 4"]


def test_a_fault_that_is_known_has_to_happen(tmp_path: Path) -> None:
    assert said_of(tmp_path, FAULTY, test_parallel="parameter dataType is 4 here", test_program="") == []


@pytest.mark.parametrize(
    "cases",
    [{"test_parallel": ""}, {"test_parallel": "memory ended"}, {"test_program": "", "test_parallel": "x"}],
)
def test_another_outcome_of_that_test_is_unexpected(tmp_path: Path, cases: dict[str, str]) -> None:
    (said,) = said_of(tmp_path, FAULTY, **cases)
    assert "does not say 'dataType is 4'" in said


def test_the_same_words_of_another_test_are_unexpected(tmp_path: Path) -> None:
    cases = {"test_parallel": "dataType is 4", "test_program": "dataType is 4"}
    assert said_of(tmp_path, FAULTY, **cases) == ["test_program[2]: dataType is 4"]
