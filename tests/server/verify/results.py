"""Results of runs that were made up, for what shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpu2ascend.verify.result.model import (
    Failure,
    FileCoverage,
    OperatorUse,
    Place,
    RankResult,
    Refusal,
    RuleAt,
    VerifyResult,
)
from gpu2ascend.verify.running.supervise import Ending
from gpu2ascend_rules.model.finding import Message

LINE = Place("train.py", 12, "main")
FAILURE = Failure(
    rank=0,
    type="RuntimeError",
    text="Expected all tensors to be on the same device",
    traceback=(Place("train.py", 30, "<module>"), LINE),
    rules=(
        RuleAt(
            "NPU104", Message.of("verify.installs", folder="one", packages="two"), Message.of("verify.expect")
        ),
    ),
    cause=Message.of("verify.cause.mixed-devices.cause"),
    remedy=Message.of("verify.cause.mixed-devices.remedy"),
    named_rules=("NPU104", "NPU999"),
)


def made_up(project: Path, **changes: Any) -> VerifyResult:
    """A run that passed, or what the changes make of it."""
    usual: dict[str, Any] = {
        "project": project,
        "command": ("train.py", "--epochs", "1"),
        "version": "2.8.0",
        "torch": "2.13.0+cpu",
        "python": "3.12.1",
        "ending": Ending.DONE,
        "codes": (0,),
        "asked_steps": 3,
        "asked_ranks": 1,
        "ranks": (RankResult(0, 3, (0.75, 0.5, 0.25), ""),),
        "seconds": 4.25,
        "seconds_per_step": 0.5,
        "coverage": (FileCoverage("train.py", 9, (4, 5, 7)), FileCoverage("net.py", 3, ())),
        "not_loaded": ("tools/other.py",),
        "failure": None,
        "differences": (Message.of("verify.expect.speed"),),
    }
    return VerifyResult(**{**usual, **changes})


def failed(project: Path, failure: Failure = FAILURE, **changes: Any) -> VerifyResult:
    """A run that ended with an error before the first step."""
    usual = {"ending": Ending.EXITED, "codes": (1,), "ranks": (RankResult(0, 0, (), ""),), "failure": failure}
    return made_up(project, **{**usual, **changes})


UNREGISTERED = (OperatorUse("aten::roll", 6, LINE),)
REFUSALS = (Refusal("dtype", "aten::mm", "float64", 2, LINE),)
