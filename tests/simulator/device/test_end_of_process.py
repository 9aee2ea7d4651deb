"""A process that has used the device ends as every other does: nothing is said, nothing crashes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.execution.harness import SOURCE_ROOTS

pytestmark = [pytest.mark.slow, pytest.mark.execution]

PROGRAM = """
import threading
import torch
from gpu2ascend_simulator.device import standalone

standalone.start()
from torch import nn

model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Dropout(), nn.Flatten(), nn.Linear(8, 2)).to("npu:1")
loss = model(torch.randn(2, 1, 4, 4, device="npu:1")).sum()
loss.backward(retain_graph=True)
model[0].weight.register_hook(lambda gradient: gradient)
kept = torch.Stream("npu"), torch.Event("npu"), torch.Generator("npu:1"), loss.grad_fn
pinned = torch.ones(3).pin_memory()
threading.Thread(target=lambda: torch.ones(2, device="npu", requires_grad=True).sum().backward()).start()
print("trained")
"""


@pytest.mark.parametrize("options", [(), ("-X", "dev")], ids=["plain", "dev"])
def test_a_process_ends_in_peace(options: tuple[str, ...], tmp_path: Path) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, SOURCE_ROOTS)), "OMP_NUM_THREADS": "1"}
    command = (sys.executable, *options, str(script))
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "trained\n"), done.stderr
    assert not any(word in done.stderr for word in ("Traceback", "Exception ignored", "Fatal", "terminate"))
