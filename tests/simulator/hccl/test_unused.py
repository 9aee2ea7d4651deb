"""Ranks that use different parameters learn all that somebody used."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.execution.harness import environment, run_ranks

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SCRIPT = Path(__file__).parent / "unused_parameters.py"


def test_a_parameter_that_one_rank_uses_is_learnt_by_all() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")
    done = run_ranks(SCRIPT, env=environment("2.13.0")).check()
    assert done.stdout.strip() == str([[True, True, False]] * 2)
