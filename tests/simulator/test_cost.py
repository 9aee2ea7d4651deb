"""The cost of the simulated device is measured; how large it is is for the benchmark to say."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

from tests.execution.harness import SOURCE_ROOTS

pytestmark = [pytest.mark.slow, pytest.mark.execution]


def test_the_cost_is_printed_with_its_budget() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, SOURCE_ROOTS)), "OMP_NUM_THREADS": "1"}
    command = (sys.executable, "-m", "gpu2ascend_simulator.cost")
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    cpu, device, ratio, budget = map(float, done.stdout.split())
    assert ratio == pytest.approx(device / cpu, rel=0.01)
    assert budget == 20
