"""torch_npu itself, on the emulated CANN, does what the device in Python does, but for what is listed."""

from __future__ import annotations

import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest

from tests.execution.harness import SOURCE_ROOTS
from tests.simulator.cann.wheels import REPOSITORY, interpreter
from tests.simulator.device.test_battery import HERE as BATTERY
from tests.simulator.device.test_battery import OPTIONS, checks

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.execution]

PREPARE = "import sys; from gpu2ascend_simulator.cann.prepare import main; main(sys.argv[1])"
SECONDS = 600

DIFFERENT = {
    "test_streams_of_every_spelling": "torch.accelerator's stream is not equal to torch_npu's",
    "test_events_measure_time": "torch_npu raises ValueError",
    "test_a_file_of_cuda_needs_to_be_mapped": "torch_npu's own text",
    "test_a_file_of_a_device_that_is_not_there_does_not_load": "torch_npu's own text",
    "test_storages_give_their_memory_back_and_take_it_again": "blocks have 32 bytes more",
    "test_memory_is_counted": "blocks have 32 bytes more",
    "test_memory_ends": "torch_npu's own text",
    "test_memory_ends_at_a_result_too": "segments of 20 MiB",
    "test_memory_formats_survive": "torch_npu refuses channels_last",
    "test_what_needs_range_is_of_float32": "torch_npu's own lists of autocast",
    "test_every_operator_that_torch_casts_for_accelerators_is_cast": "torch_npu's own lists of autocast",
    "test_encoders_take_padding": "torch_npu has no kernels for nested tensors, which torch makes",
}
"""Checks that torch_npu 2.13 does not pass, and why."""


@cache
def variables(python: Path) -> dict[str, str]:
    """Those of a process on the emulated CANN."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, SOURCE_ROOTS))}
    command = [str(python), "-c", PREPARE, str(REPOSITORY / ".cache" / "cann")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    assert "variables" in answer, answer
    return {str(name): str(value) for name, value in answer["variables"].items()}


@cache
def failures(file: str) -> dict[str, str]:
    """The checks of a file that failed, by name, and what was said; those that ran without."""
    python = interpreter()
    report = REPOSITORY / ".cache" / f"wheel-{file}.{os.getpid()}.xml"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env = {
        **inherited,
        **variables(python),
        "PYTHONPATH": os.pathsep.join(map(str, (*SOURCE_ROOTS, REPOSITORY))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "GPU2ASCEND_NPU_MEMORY": str(1 << 30),
    }
    program = Path(__file__).with_name("on_wheel.py")
    command = [str(python), str(program), *OPTIONS, f"--junitxml={report}", str(BATTERY / file)]
    done = subprocess.run(
        command, cwd=BATTERY, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert report.exists(), done.stdout + done.stderr
    results: dict[str, str] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = case.attrib["name"].partition("[")[0]
        said = "\n".join(part.text or "" for part in case if part.tag in ("failure", "error"))
        results[name] = results.get(name, "") + said
    report.unlink()
    return results


@pytest.mark.one_in(8)
@pytest.mark.parametrize("file", sorted({file for file, _ in checks()}))
def test_it_does_what_the_device_in_python_does(file: str) -> None:
    results = failures(file)
    failed = {name: said for name, said in results.items() if said}
    expected = {check for place, check in checks() if place == file and check in DIFFERENT}
    assert set(failed) == expected, "\n".join(said for name, said in failed.items() if name not in expected)
