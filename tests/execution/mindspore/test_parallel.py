"""Two processes of MindSpore, started by msrun, train as two of torch's DistributedDataParallel do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.execution.harness import free_port
from tests.sampling import BEYOND_SAMPLE

from .needs import needs_mindspore

pytestmark = needs_mindspore

ROOT = Path(__file__).parents[3]
PROCESSES = 2
_MODULE = "tests.execution.mindspore.parallel"


def _environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    own = str(Path(sys.executable).parent)
    search = os.pathsep.join((own, os.environ.get("PATH", "")))
    # A process that a busy machine starts late is not lost: MindSpore gives up after 30 seconds of its own.
    patience = {"MS_NODE_TIMEOUT": "240", "MS_TOPO_TIMEOUT": "240"}
    own_names = {"GLOG_v": "4", "PYTHONPATH": path, "PATH": search, "OMP_NUM_THREADS": "1"}
    return os.environ | own_names | patience | more


def _torch(name: str, folder: Path) -> None:
    port = str(free_port())
    started = []
    for rank in range(PROCESSES):
        numbers = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(PROCESSES)}
        environment = _environment(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, **numbers)
        command = [sys.executable, "-m", _MODULE, "torch", name, str(folder)]
        started.append(subprocess.Popen(command, cwd=ROOT, env=environment))
    assert [one.wait(timeout=300) for one in started] == [0] * PROCESSES


def _mindspore(name: str, folder: Path, *more: str) -> None:
    script = folder / "start.py"
    script.write_text(f"from {_MODULE} import main\n\nmain()\n", encoding="utf-8")
    msrun = str(Path(sys.executable).with_name("msrun"))
    count = [f"--worker_num={PROCESSES}", f"--local_worker_num={PROCESSES}", "--join=True"]
    where = [f"--master_port={free_port()}", f"--log_dir={folder / 'log'}"]
    command = [msrun, *count, *where, str(script), "mindspore", name, str(folder), *more]
    ran = subprocess.run(
        command, cwd=ROOT, env=_environment(), capture_output=True, text=True, check=False, timeout=300
    )
    logs = "\n".join(one.read_text("utf-8", "replace") for one in sorted((folder / "log").glob("*.log")))
    assert ran.returncode == 0, logs


def _seen(folder: Path, framework: str) -> list[Any]:
    return [json.loads((folder / f"{framework}{rank}.json").read_text("utf-8")) for rank in range(PROCESSES)]


@pytest.mark.parametrize("more", [(), pytest.param(("--graph",), marks=BEYOND_SAMPLE)], ids=["", "graph"])
def test_losses_and_weights_are_those_of_torch(tmp_path: Path, more: tuple[str, ...]) -> None:
    _torch("parallel", tmp_path)
    _mindspore("parallel", tmp_path, *more)
    expected, found = _seen(tmp_path, "torch"), _seen(tmp_path, "mindspore")
    for one, other in zip(expected, found, strict=True):
        assert len(one["losses"]) == 6
        assert other["losses"] == pytest.approx(one["losses"], abs=1e-4)
        assert other["weights"].keys() == one["weights"].keys()
        for name, weight in one["weights"].items():
            assert np.allclose(other["weights"][name], weight, atol=2e-4)
    assert expected[0]["losses"] != expected[1]["losses"]
