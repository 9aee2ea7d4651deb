"""What the command asks of a verified process: read from a file that an environment variable names."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VARIABLE = "GPU2ASCEND_VERIFY"
"""Names the file of the settings. Without it a process is not verified."""


@dataclass(frozen=True)
class Settings:
    """One run of a project.

    Attributes:
        root: the project's directory, without links.
        records: the directory that every process writes its record to.
        steps: steps of an optimizer after which a process is done.
        deadline: when the run is given up, in seconds since the epoch.
        seed: of every generator of random numbers.
        supervisor: the process number of the command; the run ends with it.
        mode: ``npu`` (the simulated device) or ``cpu`` (the original, with CUDA mapped to the CPU).
        compares: whether the losses are compared with another run, so that devices draw as the CPU does.
        kept: lines that may ask for CUDA, by path relative to the root.
        fakes_data: whether samples are made up in place of data that is not here.
        limits: on the emulated CANN, data types that operators do not take; see :mod:`..cann.start`.
    """

    root: str
    records: str
    steps: int
    deadline: float
    seed: int
    supervisor: int
    mode: str = "npu"
    compares: bool = False
    kept: dict[str, list[int]] = field(default_factory=dict)
    limits: dict[str, dict[str, Any]] = field(default_factory=dict)
    fakes_data: bool = False


def read_settings() -> Settings | None:
    """The settings of this process; None if it is not to be verified."""
    path = os.environ.get(VARIABLE)
    if not path:
        return None
    return Settings(**json.loads(Path(path).read_text(encoding="utf-8")))
