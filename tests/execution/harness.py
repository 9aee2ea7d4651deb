"""Migrates code with the product and runs it on the simulated torch_npu.

Everything runs in separate processes: the simulator changes torch for good, and what is tested is what a
user starts from a shell.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gpu2ascend.verify.running.release import limits, put_torch_npu
from gpu2ascend_rules.model.versions import choose_version
from tests.execution.torch_processes import Process, run_with_torch
from tests.simulator.cann.wheels import ON_WHEEL, emulated, packages

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
SOURCE_ROOTS = (REPOSITORY / "rules", REPOSITORY / "server")

_OF_GLOO = "[Gloo] Rank "
"""Begins what Gloo of torch 2.10 prints of each connection, among the output of the script."""
_BEGIN = """\
import json
from pathlib import Path

from gpu2ascend_simulator.cann.start import begin
from gpu2ascend_simulator.session.imports import after_import

limits = json.loads(Path(__file__).with_name("limits.json").read_text(encoding="utf-8"))
after_import("torch_npu", lambda _: begin(limits, compares=False))
"""
"""Runs at the start of a process that has torch_npu itself."""
RUN_TIMEOUT = 240.0
"""Far beyond what any script needs: it ends what hangs, it measures nothing."""


class Run(NamedTuple):
    """A finished process."""

    command: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str

    def describe(self) -> str:
        """All there is to know, for the message of a failed test."""
        return (
            f"$ {' '.join(self.command)}\nexit code {self.returncode}"
            f"\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"
        )

    def check(self) -> Run:
        """Itself, if it ended well. Raises AssertionError: it did not; with all of its output."""
        assert self.returncode == 0, self.describe()
        return self


@cache
def simulated(version: str) -> Path:
    """A folder with the simulated torch_npu of a release; it goes with this process."""
    folder = Path(tempfile.mkdtemp(prefix=f"torch_npu-{version}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    release = choose_version(version).version
    if ON_WHEEL:
        (folder / "limits.json").write_text(json.dumps(limits(release)), encoding="utf-8")
        (folder / "sitecustomize.py").write_text(_BEGIN, encoding="utf-8")
    else:
        put_torch_npu(folder, release)
    return folder


def environment(
    version: str, *, devices: int = 2, memory: int | None = None, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment in which ``import torch_npu`` finds the simulated one of a release.

    torch does not load it by itself (as torch >= 2.5 would): a file that needs it must import it.
    """
    # PYTHONUNBUFFERED would tear the lines of ranks that share one pipe.
    unwanted = ("CUDA_", "ASCEND_", "GPU2ASCEND_", "PYTEST_", "NCCL_", "HCCL_", "PYTHONUNBUFFERED")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    settings = {
        "GPU2ASCEND_NPU_COUNT": str(devices),
        "PYTHONPATH": os.pathsep.join(map(str, (simulated(version), *SOURCE_ROOTS, *packages()))),
        "PYTHONFAULTHANDLER": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
        # Scripts that start their own ranks have the port from here.
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
    }
    if memory is not None:
        settings["GPU2ASCEND_NPU_MEMORY"] = str(memory)
    return {**inherited, **settings, **emulated(), **(extra or {})}


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def run(command: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float = RUN_TIMEOUT) -> Run:
    """Runs a command to its end, or to the end of ``timeout`` with all its children."""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            stderr += f"\nended after {timeout} s"
    return Run(tuple(command), process.returncode, stdout, stderr)


def run_script(
    script: Path,
    *arguments: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
    timeout: float = RUN_TIMEOUT,
) -> Run:
    """Runs a script as one process; torch is loaded already, and nothing else."""
    return _run_processes(script, arguments, [env], cwd, timeout)


def run_ranks(
    script: Path,
    *arguments: str,
    env: Mapping[str, str],
    ranks: int = 2,
    cwd: Path | None = None,
    timeout: float = RUN_TIMEOUT,
) -> Run:
    """Runs a script in the processes that torchrun would start on this host, with the variables that it
    sets; the output of the ranks, one after the other."""
    of_all = {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks), "GROUP_RANK": "0"}
    environments = [
        {**env, **of_all, "RANK": str(rank), "LOCAL_RANK": str(rank), "ROLE_RANK": str(rank)}
        for rank in range(ranks)
    ]
    return _run_processes(script, arguments, environments, cwd, timeout)


def _run_processes(
    script: Path,
    arguments: Sequence[str],
    environments: Sequence[Mapping[str, str]],
    cwd: Path | None,
    timeout: float,
) -> Run:
    """Runs a script once for each environment; the output apart, for lines printed at a time would mingle."""
    with tempfile.TemporaryDirectory() as logs:
        processes = [
            Process(env, Path(logs, f"stdout{number}"), Path(logs, f"stderr{number}"))
            for number, env in enumerate(environments)
        ]
        codes = run_with_torch(
            script, *arguments, cwd=cwd or script.parent, processes=processes, timeout=timeout
        )
        stdout, stderr = (
            "".join(path.read_text(errors="replace") for path in paths)
            for paths in ([item.stdout for item in processes], [item.stderr for item in processes])
        )
    said = "".join(line for line in stdout.splitlines(True) if not line.startswith(_OF_GLOO))
    return Run((str(script), *arguments), next((code for code in codes if code), 0), said, stderr)


def migrate(project: Path, output: Path, version: str, *options: str) -> Path:
    """Migrates a project with the product's command line; the directory of the migrated project.

    Exit code 1 means that findings are left for a person, which is no failure here.
    """
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(path) for path in SOURCE_ROOTS)}
    command = (sys.executable, "-m", "gpu2ascend", "migrate")
    done = run(
        (*command, "-i", str(project), "-o", str(output), "-v", version, *options), cwd=REPOSITORY, env=env
    )
    assert done.returncode in (0, 1), done.describe()
    return output / f"{project.name}_msft"
