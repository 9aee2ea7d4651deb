"""Small models that a seed makes train by MindSpore as they train by PyTorch, or are refused.

Where a model is ill-conditioned, PyTorch itself moves as far by one rounding error of data and weights.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import BEYOND_SAMPLE

from . import random_sweep
from .needs import needs_mindspore
from .random_models import program

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]
_COUNT = 5
ALLOWED = ("equal", "rough tanh", "ill-conditioned", "refused")


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(one, marks=[] if one == 0 else [BEYOND_SAMPLE], id=f"seeds-from-{one}")
        for one in range(0, 100, _COUNT)
    ],
)
def test_three_steps_are_the_same(first: int) -> None:
    found = _swept(first, _COUNT)
    assert [one for one in found if one["outcome"] not in ALLOWED] == []
    assert len(found) == _COUNT and any(one["outcome"] == "equal" for one in found)


@BEYOND_SAMPLE
@pytest.mark.parametrize("seed", [1284, 5355])
def test_a_model_that_only_the_rough_tanh_of_mindspore_moves_is_told_from_one_that_differs(seed: int) -> None:
    assert [one["outcome"] for one in _swept(seed, 1)] == ["rough tanh"]


def test_tanh_of_mindspore_on_the_cpu_is_rough_in_float32_and_exact_in_float64() -> None:
    import mindspore
    import numpy as np

    numbers = np.linspace(-8, 8, 65)
    rough, exact = (
        mindspore.ops.tanh(mindspore.Tensor(numbers, kind)).asnumpy()
        for kind in (mindspore.float32, mindspore.float64)
    )
    assert 5e-5 < abs(rough - np.tanh(numbers)).max() < 2e-4
    assert abs(exact - np.tanh(numbers)).max() < 1e-12


def _swept(first: int, count: int) -> list[dict[str, str]]:
    """The outcomes of some seeds."""
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "4", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.execution.mindspore.random_sweep", str(first), str(count)]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]


@pytest.mark.parametrize(("apart", "outcome"), [(1e-3, "differs"), (1e-4, "ill-conditioned")])
def test_a_difference_that_rounding_does_not_explain_is_one(
    monkeypatch: pytest.MonkeyPatch, apart: float, outcome: str
) -> None:
    monkeypatch.setattr(random_sweep, "moved", lambda *_: ([5e-5, 0.0], 1e-5))
    monkeypatch.setattr(random_sweep, "_ABSOLUTE", 0.0)
    assert random_sweep.condition(program(0), apart, 0.0)[0] == outcome


def test_weights_that_differ_are_a_difference_though_the_results_are_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(random_sweep, "moved", lambda *_: ([1e-3], 1e-5))
    assert random_sweep.condition(program(0), 1e-4, 2e-3)[0] == "differs"
