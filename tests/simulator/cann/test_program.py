"""torch_npu itself, on the emulated CANN, does what projects need first: for any release.

``GPU2ASCEND_TORCH_NPU_PYTHON`` names an interpreter that has another release than this one's torch.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.execution.harness import SOURCE_ROOTS
from tests.simulator.cann.test_battery import SECONDS, variables
from tests.simulator.cann.wheels import REPOSITORY, interpreter

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.execution]


def test_the_program_runs() -> None:
    python = interpreter()
    env = {
        **os.environ,
        **variables(python),
        "PYTHONPATH": os.pathsep.join(map(str, (*SOURCE_ROOTS, REPOSITORY))),
        "OMP_NUM_THREADS": "1",
    }
    command = [str(python), str(Path(__file__).with_name("program.py"))]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
