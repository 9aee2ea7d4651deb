"""Every API that the table of MindSpore calls verified computes the same in both frameworks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.sampling import BEYOND_SAMPLE

from .needs import needs_mindspore

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]


def answer(module: str) -> Any:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "4", "PYTHONPATH": path}
    command = [sys.executable, "-m", f"tests.execution.mindspore.{module}"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def test_each_has_samples_that_agree_and_none_that_does_not() -> None:
    result = answer("rows")
    assert (result["unproven"], result["refuted"]) == ([], {})
    assert result["verified"] > 700 and result["samples"] > result["verified"]


@BEYOND_SAMPLE
def test_each_has_the_gradients_of_torch() -> None:
    result = answer("gradient_rows")
    assert result["refuted"] == {} and result["samples"] > 900


@BEYOND_SAMPLE
def test_each_computes_the_same_when_it_is_compiled() -> None:
    result = answer("compiled_rows")
    assert result["refuted"] == {} and result["agreeing"] > 600


def test_the_rows_for_compiled_code_are_what_their_generator_writes() -> None:
    result = answer("compiled_table")
    assert result["refuted"] == {} and result["lines"] == load_lines("mindspore_compiled_apis")
    assert sum("\tyes\t" in line for line in result["lines"]) >= 7


def load_lines(table: str) -> list[str]:
    path = ROOT / "rules" / "gpu2ascend_mindspore" / "data" / f"{table}.tsv"
    return path.read_text(encoding="utf-8").splitlines()
