"""Datasets, samplers and loaders give what those of torch give, in the same order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .both import texts
from .needs import needs_mindspore

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]
CASES = Path(__file__).parent / "samples" / "loading.txt"


@pytest.fixture(scope="module")
def shown() -> Any:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "4", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.execution.mindspore.both", str(CASES)]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", texts(CASES))
def test_both_give_the_same(shown: Any, name: str) -> None:
    assert "blockers" not in shown[name], shown[name]
    assert shown[name]["mindspore"] == shown[name]["torch"]
