"""Datasets, loaders and files give what those of torch give, in the same order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .both import texts
from .needs import needs_mindspore

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]
SAMPLES = Path(__file__).parent / "samples"
CASES = [(kind, name) for kind in ("loading", "files", "vision") for name in texts(SAMPLES / f"{kind}.txt")]


@cache
def shown(kind: str) -> Any:
    """What the texts of a file gave in both frameworks."""
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "4", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.execution.mindspore.both", str(SAMPLES / f"{kind}.txt")]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_both_give_the_same(kind: str, name: str) -> None:
    found = shown(kind)[name]
    assert "blockers" not in found, found
    assert found["mindspore"] == found["torch"]
