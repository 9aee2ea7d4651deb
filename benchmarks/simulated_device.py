"""What a step of a small network costs on the simulated device, measured in a process with torch."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import NamedTuple


class StepCost(NamedTuple):
    """Milliseconds of processor time of a step on the CPU and on the simulated device, in one run."""

    cpu: float
    device: float
    ratio: float
    budget: float


def has_torch() -> bool:
    """Whether there is a torch to measure with."""
    return importlib.util.find_spec("torch") is not None


def step_cost() -> StepCost:
    """Measures, in a process of its own: the device changes torch for good."""
    command = (sys.executable, "-m", "gpu2ascend_simulator.cost")
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return StepCost(*map(float, done.stdout.split()))
