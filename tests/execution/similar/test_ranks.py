"""What needs two processes: synchronized batch normalization, and apex's wrapper, over gloo on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend_rules.similar.assemble import assemble

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.slow, pytest.mark.execution]

RANKS = Path(__file__).parent / "ranks"
WORLD = 2
TIMEOUT = 240
"""Far beyond what they need: it ends what hangs."""


@pytest.mark.parametrize(
    ("script", "part", "said"),
    [
        ("sync_batch_norm.py", "sync_batch_norm", "settings agree"),
        ("apex_wrapper.py", "distributed_data_parallel", "gradients as apex leaves them"),
    ],
)
def test_in_two_processes(script: str, part: str, said: str, tmp_path: Path) -> None:
    package = tmp_path / "ascend_function"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "similar_api.py").write_text(assemble([part]), encoding="utf-8")
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                str(RANKS / script),
                str(tmp_path),
                str(tmp_path / "store"),
                str(rank),
                str(WORLD),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        )
        for rank in range(WORLD)
    ]
    try:
        outputs = [process.communicate(timeout=TIMEOUT)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert [said in output for output in outputs] == [True] * WORLD, "\n".join(outputs)
