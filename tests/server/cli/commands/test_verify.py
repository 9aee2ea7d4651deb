"""``gpu2ascend verify``: what is asked for, the report, the document, and an exit code for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.cli.commands.running import verify as command
from gpu2ascend.project.manifest.marker import Marker, write_marker
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.model import (
    Comparison,
    Failure,
    FileCoverage,
    OperatorUse,
    Place,
    RankResult,
    RuleAt,
    VerifyResult,
)
from gpu2ascend.verify.running.supervise import Ending
from gpu2ascend.verify.verify import Listener
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import NEWEST, Version
from gpu2ascend_rules.options.options import MigrationOptions
from tests.schemas import faults

from ..conftest import Run

FAILURE = Failure(
    rank=0,
    type="RuntimeError",
    text="Expected all tensors to be on the same device",
    traceback=(Place("train.py", 30, "<module>"), Place("train.py", 12, "main")),
    rules=(RuleAt("NPU101", Message.of("verify.no-loss"), Message.of("verify.no-loss")),),
    cause=Message.of("verify.cause.mixed-devices.cause"),
    remedy=Message.of("verify.cause.mixed-devices.remedy"),
    named_rules=("NPU125",),
)


class Verification:
    """Stands for the run: remembers what was asked for, and gives a result."""

    def __init__(self) -> None:
        self.request: VerifyRequest | None = None
        self.failure: Failure | None = None
        self.comparison: Comparison | None = None

    def __call__(self, request: VerifyRequest, options: MigrationOptions, listener: Listener) -> VerifyResult:
        self.request = request
        listener.heard(0, "a line of the script")
        done = 1 if self.failure is not None else request.steps
        return VerifyResult(
            project=request.project,
            command=request.command,
            version=str(request.version),
            torch="2.13.0+cpu",
            python="3.11.7",
            ending=Ending.EXITED if self.failure is not None else Ending.DONE,
            codes=(0,),
            asked_steps=request.steps,
            asked_ranks=1,
            ranks=(RankResult(0, done, (0.5, float("nan")), ""),),
            seconds=1.0,
            seconds_per_step=0.1,
            coverage=(FileCoverage("train.py", 9, (7,)),),
            not_loaded=("other.py",),
            failure=self.failure,
            unregistered=(OperatorUse("aten::x", 3, Place("train.py", 5)),),
            comparison=self.comparison,
        )

    @property
    def asked(self) -> VerifyRequest:
        """What was asked for."""
        assert self.request is not None
        return self.request


@pytest.fixture
def verification(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Verification:
    """A run that starts nothing, of a project in the current directory."""
    (tmp_path / "project").mkdir()
    made = Verification()
    monkeypatch.setattr(command, "verify", made)
    return made


def test_what_stands_behind_the_dashes_is_the_command_of_the_project(
    run: Run, verification: Verification
) -> None:
    ran = run(
        "verify", "project", "--steps", "5", "--nproc", "2", "--", "train.py", "--steps", "9", "--", "x"
    )
    assert ran.code == 0
    assert verification.asked.command == ("train.py", "--steps", "9", "--", "x")
    assert (verification.asked.steps, verification.asked.ranks) == (5, 2)
    assert "[0] a line of the script" in ran.err


def test_the_version_is_that_of_the_migration_else_the_newest(
    run: Run, verification: Verification, tmp_path: Path
) -> None:
    run("verify", "project", "--", "train.py")
    assert verification.asked.version == NEWEST
    write_marker(tmp_path / "project", Marker("0.1", (), torch="2.6.0"))
    run("verify", "project", "--", "train.py")
    assert verification.asked.version == Version(2, 6, 0)
    run("verify", "project", "-v", "2.8.0", "--", "train.py")
    assert verification.asked.version == Version(2, 8, 0)


@pytest.mark.parametrize(
    "arguments", [(), ("a", "b"), ("missing",), ("project", "--steps", "0"), ("project", "--nproc", "x")]
)
def test_what_cannot_be_asked_ends_with_2(
    run: Run, verification: Verification, arguments: tuple[str, ...]
) -> None:
    assert run("verify", *arguments, "--", "train.py").code == 2
    assert verification.request is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_failure_is_shown_with_its_line_and_what_explains_it(
    run: Run, verification: Verification, language: str
) -> None:
    verification.failure = FAILURE
    ran = run("verify", "project", "--language", language, "--", "train.py")
    lines = ran.out.splitlines()
    assert ran.code == 1
    assert lines[0] == "train.py:12: RuntimeError: Expected all tensors to be on the same device"
    assert all(any(word in line for line in lines) for word in ("train.py:30", "NPU101", "NPU125"))


def test_what_did_not_run_is_said(run: Run, verification: Verification) -> None:
    out = run("verify", "project", "--", "train.py").out
    assert "train.py: did not run: 7" in out and "never loaded: other.py" in out
    assert "train.py:5: aten::x, 3 times" in out


def test_other_losses_than_the_original_end_with_1(run: Run, verification: Verification) -> None:
    verification.comparison = Comparison(
        original=(0.5, 0.4), migrated=(0.5, 0.3), first_difference=1, is_same=False
    )
    ran = run("verify", "project", "--compare", "project", "--", "train.py")
    assert ran.code == 1 and "Loss 2 differs from the original: 0.3 instead of 0.4" in ran.out


def test_the_document_is_as_its_schema_says(run: Run, verification: Verification, tmp_path: Path) -> None:
    verification.failure = FAILURE
    run("verify", "project", "--json", "out.json", "--", "train.py")
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert faults("verify", document) == [] and faults("verify", {**document, "never": 0})
    assert document["ranks"][0]["losses"] == [0.5, None]
    assert document["failure"]["place"] == {"path": "train.py", "line": 12, "function": "main"}
