"""Every API that the table of MindSpore calls verified computes the same in both frameworks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from .needs import needs_mindspore

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]


def test_each_has_samples_that_agree_and_none_that_does_not() -> None:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "4", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.execution.mindspore.rows"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout.splitlines()[-1])
    assert (result["unproven"], result["refuted"]) == ([], {})
    assert result["verified"] > 700 and result["samples"] > result["verified"]
