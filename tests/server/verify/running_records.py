"""Records of processes that were made up."""

from __future__ import annotations

from typing import Any

from gpu2ascend.verify.running.records import Record
from gpu2ascend.verify.running.supervise import Ending, Run


def record(pid: int = 1, rank: int = 0, steps: int = 3, **changes: Any) -> Record:
    """A process that made its steps, or what the changes make of it."""
    usual: dict[str, Any] = {
        "parent": 0,
        "program": ("train.py",),
        "world": 1,
        "is_done": True,
        "losses": (0.5,) * steps,
        "lines": {},
        "failure": None,
        "torch": "2.10.0+cpu",
        "notes": {},
        "seconds": 6.0,
        "ended": 100.0,
    }
    return Record(pid=pid, rank=rank, steps=steps, **{**usual, **changes})


def run_of(*records: Record, **changes: Any) -> Run:
    """A run that ended as it should, or what the changes make of it."""
    usual: dict[str, Any] = {"ending": Ending.DONE, "codes": (0,), "errors": ((),), "seconds": 9.0}
    return Run(records=records, **{**usual, **changes})
