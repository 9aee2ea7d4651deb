"""Processes that talk by torch_npu's own ProcessGroupHCCL, on the emulated CANN."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.execution.harness import SOURCE_ROOTS
from tests.simulator.cann.test_battery import variables
from tests.simulator.cann.wheels import REPOSITORY, interpreter

_SECONDS = 300


class Rank(NamedTuple):
    """A process that has ended."""

    code: int
    said: str


def run_ranks(folder: Path, program: Path, count: int, *arguments: str) -> list[Rank]:
    """Run a program in so many ranks of one host."""
    python = interpreter()
    common = {
        **os.environ,
        **variables(python),
        "PYTHONPATH": os.pathsep.join(map(str, (*SOURCE_ROOTS, REPOSITORY))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
        "GPU2ASCEND_MESSAGES": str(folder),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(_free_port()),
        "WORLD_SIZE": str(count),
        "LOCAL_WORLD_SIZE": str(count),
    }
    processes = []
    for rank in range(count):
        env = {**common, "RANK": str(rank), "LOCAL_RANK": str(rank)}
        with (folder / f"said.{rank}").open("w", encoding="utf-8") as said:
            command = [str(python), str(program), *arguments]
            processes.append(
                subprocess.Popen(command, env=env, cwd=folder, stdout=said, stderr=subprocess.STDOUT)
            )
    try:
        codes = [process.wait(_SECONDS) for process in processes]
    finally:
        for process in processes:
            process.kill()
    texts = ((folder / f"said.{rank}").read_text(encoding="utf-8") for rank in range(count))
    return [Rank(code, text) for code, text in zip(codes, texts, strict=True)]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
