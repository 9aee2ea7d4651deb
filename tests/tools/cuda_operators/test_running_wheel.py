"""The names and signatures that the tables have of a release are those of its torch_npu, which runs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.execution.harness import SOURCE_ROOTS
from tests.simulator.cann.test_battery import variables
from tests.simulator.cann.wheels import interpreter

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.execution]

PROGRAM = Path(__file__).with_name("running_wheel.py")
SECONDS = 300
ABSENT = {
    "torch_npu.contrib.fuse_add_softmax_dropout": "the list of public names has it, the module does not",
    "torch_npu.npu.config.allow_internal_format": "it can be set, not read",
    "torch_npu.testing": "it asks for packages that only tests need",
    "torch_npu.utils.collect_hccl_info": "it looks for CANN's test programs when it is imported",
}
"""Names that torch_npu 2.13.0 does not give here, and why."""


def differences() -> Any:
    """What the program says."""
    python = interpreter()
    env = {**os.environ, **variables(python), "PYTHONPATH": os.pathsep.join(map(str, SOURCE_ROOTS))}
    command = [str(python), str(PROGRAM), "2.13.0"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_tables_hold_what_the_wheel_has() -> None:
    found = differences()
    assert set(found["names"]["different"]) == set(ABSENT), found["names"]
    assert found["signatures"]["different"] == {}
    assert found["names"]["count"] > 900 and found["signatures"]["count"] > 700
