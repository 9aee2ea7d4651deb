"""Starts the processes of a training and waits for them, no longer than is sensible."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from tests.execution.harness import environment, free_port

OBSERVER = Path(__file__).parent / "observed.py"
TIMEOUT = 120.0
"""Far beyond what any script needs: it ends what hangs, it measures nothing."""


class Training(NamedTuple):
    """What the processes of one training said and did."""

    returncodes: tuple[int, ...]
    output: str
    saved: tuple[str, ...]
    """The names of the files that were saved, once for each time."""

    def check(self) -> Training:
        """Itself, if every process ended well.

        Raises:
            AssertionError: one did not; with all output.
        """
        assert set(self.returncodes) == {0}, f"exit codes {self.returncodes}\n{self.output}"
        return self


def train(
    script: Path, output: Path, ranks: int = 1, *, batch_size: int, old_names: bool = False
) -> Training:
    """Run a migrated script on the stand-in for torch_npu: in one process without any launcher's variables,
    or in several, each with those that a launcher sets, or the older ones of shell loops."""
    output.mkdir(parents=True)
    port = str(free_port())
    common = {"BATCH_SIZE": str(batch_size), "OUTPUT": str(output)}
    envs = []
    for rank in range(ranks):
        names = ("RANK_ID", "DEVICE_ID", "RANK_SIZE") if old_names else ("RANK", "LOCAL_RANK", "WORLD_SIZE")
        own = dict(zip(names, (str(rank), str(rank), str(ranks)), strict=True)) if ranks > 1 else {}
        env = environment("2.8.0", devices=max(ranks, 2), extra={**common, **own, "MASTER_PORT": port})
        if ranks == 1:
            for name in ("MASTER_ADDR", "MASTER_PORT"):
                del env[name]
        envs.append(env)
    notes = output / "saved.txt"
    command = (sys.executable, str(OBSERVER), str(notes), str(script))
    codes, text = _run_together(command, envs, output)
    saved = tuple(sorted(notes.read_text().split())) if notes.exists() else ()
    return Training(codes, text, saved)


def _run_together(
    command: Sequence[str], envs: Sequence[Mapping[str, str]], output: Path
) -> tuple[tuple[int, ...], str]:
    """Run a command in several processes; when one fails, or time is up, the others are ended."""
    logs = [output / f"log_{index}.txt" for index in range(len(envs))]
    processes = []
    for env, log in zip(envs, logs, strict=True):
        with log.open("w") as stream:
            processes.append(
                subprocess.Popen(
                    command, env=dict(env), cwd=output, stdin=subprocess.DEVNULL, stdout=stream,
                    stderr=subprocess.STDOUT, start_new_session=True,
                )
            )  # fmt: skip
    with ThreadPoolExecutor(len(processes)) as pool:
        waiting = [pool.submit(_wait, process) for process in processes]
        for done in as_completed(waiting):
            if done.result() != 0:
                for process in processes:
                    _end(process)
    text = "".join(log.read_text(errors="replace") for log in logs)
    return tuple(process.returncode for process in processes), text


def _wait(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        _end(process)
        return process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
