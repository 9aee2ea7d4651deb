"""What an answer says to a model beside its data: what to do next, and nothing that is only noise."""

from __future__ import annotations

from typing import Literal

import pytest

from gpu2ascend.agents.tools.results import Diff, Failure, Verified

Fault = Literal["environment", "project", "emulation", "migration"]


def verified(failure: Failure | None, steps: int = 0, *, passed: bool = False) -> str:
    return Verified(
        passed=passed,
        ending="exited",
        steps_asked=3,
        steps_done=steps,
        losses=[],
        failure=failure,
        differs_at=None,
        report="the end",
    ).text()


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        ("environment", "ask the user to install"),
        ("project", "the original fails alike"),
        ("emulation", "a real NPU has it"),
        ("migration", "mend this place only"),
        (None, "mend the first error only"),
    ],
)
def test_a_failure_says_where_whose_fault_and_what_to_do_next(fault: Fault | None, advice: str) -> None:
    failure = Failure(error="ModuleNotFoundError: x", place="a.py:3", fault=fault, explanation=["why"])
    text = verified(failure)
    assert "a.py:3: ModuleNotFoundError: x" in text and "\n  why\n" in text
    assert advice in text.rpartition("(next: ")[2]


def test_a_run_that_made_its_steps_is_not_said_to_have_an_error() -> None:
    assert "first error" not in verified(None, 3)
    assert "(next: report what was migrated" in verified(None, 3, passed=True)


def test_the_line_ends_of_a_file_are_not_shown_as_characters() -> None:
    diff = Diff(
        files=["a.py"], total_files=1, diff="-a\r\n+b\x1b\r\n", is_written=False, notices="", next_offset=None
    )
    (content,) = diff.answer().content
    shown = getattr(content, "text", "")
    assert "-a\n+b" in shown and "\\x0d" not in shown and "\x1b" not in shown
