"""Small models that a seed makes train by MindSpore as they train by PyTorch, or are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .needs import BEYOND_SAMPLE, needs_mindspore

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]
_COUNT = 5


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(one, marks=[] if one == 0 else [BEYOND_SAMPLE], id=f"seeds-from-{one}")
        for one in range(0, 100, _COUNT)
    ],
)
def test_three_steps_are_the_same(first: int) -> None:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "4", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.execution.mindspore.random_sweep", str(first), str(_COUNT)]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    assert [one for one in found if one["outcome"] not in ("equal", "refused")] == []
    assert len(found) == _COUNT and any(one["outcome"] == "equal" for one in found)
