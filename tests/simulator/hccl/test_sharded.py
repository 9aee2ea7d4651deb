"""Models whose parameters are shared out among ranks learn what models do that every rank has all of."""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path

import pytest

from tests.execution.harness import environment, run_ranks

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SCRIPT = Path(__file__).parent / "sharded.py"


@cache
def losses(way: str) -> list[float]:
    """The losses of a training in two ranks, which must be the same in both, on the NPU."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")
    done = run_ranks(SCRIPT, way, env=environment("2.13.0")).check()
    device, _, of_ranks = done.stdout.strip().partition(" ")
    first, second = ast.literal_eval(of_ranks)
    assert (device, first) == ("npu:0", second)
    return list(first)


@pytest.mark.parametrize("way", ["wrapped", "meshed"])
def test_sharing_out_changes_no_loss(way: str) -> None:
    expected = losses("plain")
    assert expected[-1] < expected[0]
    assert losses(way) == pytest.approx(expected, abs=1e-3)
