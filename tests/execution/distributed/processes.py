"""Starts the processes of a training and waits for them, no longer than is sensible."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.execution.harness import environment, free_port
from tests.execution.torch_processes import Process, run_with_torch

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
        """Itself, if every process ended well. Raises AssertionError: one did not; with all output."""
        assert set(self.returncodes) == {0}, f"exit codes {self.returncodes}\n{self.output}"
        return self


def train(
    script: Path, output: Path, ranks: int = 1, *, batch_size: int, old_names: bool = False
) -> Training:
    """Run a migrated script on the simulated torch_npu: in one process without any launcher's variables,
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
    logs = [output / f"log_{rank}.txt" for rank in range(ranks)]
    processes = [Process(env, log, log) for env, log in zip(envs, logs, strict=True)]
    codes = run_with_torch(
        OBSERVER, str(notes), str(script), cwd=output, processes=processes, timeout=TIMEOUT
    )
    text = "".join(log.read_text(errors="replace") for log in logs)
    saved = tuple(sorted(notes.read_text().split())) if notes.exists() else ()
    return Training(codes, text, saved)
