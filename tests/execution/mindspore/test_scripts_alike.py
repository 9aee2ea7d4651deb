"""Whole scripts, written as users write them, do by MindSpore what they do by PyTorch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .needs import needs_mindspore
from .scripts import SCRIPTS
from .test_trained_alike import each

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]
NAMES = sorted(path.stem for path in SCRIPTS.glob("*.txt"))
SAMPLE = frozenset({"dqn", "mingpt", "holders"})
"""A target network and a region without gradients in a step; a trainer with groups of parameters by their
names; lists and dictionaries of parameters and modules."""

COMPILED_AGAIN = ("Constant value tensor are detected", "has been compiled again")
"""What MindSpore warns of in every step that compiles anew, with all gradients."""
COMPILED_ONCE = frozenset({"one_cycle", "causal_attention"})
"""Momenta change in each step; an update is compiled once for each group of parameters, and here is one."""


@pytest.mark.parametrize("name", each(NAMES, SAMPLE))
def test_a_script_gives_what_it_gives_by_torch(name: str) -> None:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "2", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.execution.mindspore.scripts", name]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    again = sum((ran.stdout + ran.stderr).count(word) for word in COMPILED_AGAIN)
    assert again == 0 or name not in COMPILED_ONCE
    result = json.loads(ran.stdout.splitlines()[-1])
    expected, found = result["torch"], result["mindspore"]
    assert len(expected) >= 3
    assert [one for one in found if isinstance(one, str)] == [one for one in expected if isinstance(one, str)]
    numbers = [one for one in expected if not isinstance(one, str)]
    assert [one for one in found if not isinstance(one, str)] == pytest.approx(numbers, abs=1e-4, rel=1e-5)
    assert result["parameters"] < 2e-4
