"""A program for torch_npu on the emulated CANN: the processor time of small operators on both devices."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
import torch_npu  # noqa: F401 - it makes the device
from torch import nn
from torch.nn import functional as F

from gpu2ascend_simulator.cann.start import begin

CALLS, ROUNDS, WARM_UP = 300, 15, 50
SQUARE, IMAGE = torch.randn(8, 8), torch.randn(1, 3, 6, 6)
OPERATORS: dict[str, tuple[Callable[..., Any], Any]] = {
    "add": (lambda data: data + data, SQUARE),
    "mm": (torch.mm, SQUARE),
    "sum": (torch.sum, SQUARE),
    "softmax": (lambda data: data.softmax(-1), SQUARE),
    "cat": (lambda data: torch.cat([data, data]), SQUARE),
    "gelu": (F.gelu, SQUARE),
    "Linear": (nn.Linear(8, 8), SQUARE),
    "LayerNorm": (nn.LayerNorm(8), SQUARE),
    "GroupNorm": (nn.GroupNorm(2, 8), SQUARE),
    "Conv2d": (nn.Conv2d(3, 4, 3), IMAGE),
}


def microseconds(operator: Callable[..., Any], data: Any, device: str) -> float:
    """The least of the rounds, for a call."""
    run = operator.to(device) if isinstance(operator, nn.Module) else operator
    there = data.to(device)
    arguments = (there, there) if operator is torch.mm else (there,)
    for _ in range(WARM_UP):
        run(*arguments)
    return min(_of_round(run, arguments) for _ in range(ROUNDS))


def _of_round(run: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    begun = time.process_time()
    for _ in range(CALLS):
        run(*arguments)
    return (time.process_time() - begun) / CALLS * 1e6


if __name__ == "__main__":
    torch.set_num_threads(1)
    begin({}, compares=False)
    print("operator        CPU    NPU   more")
    for name, (operator, data) in OPERATORS.items():
        on_cpu, on_npu = (microseconds(operator, data, device) for device in ("cpu", "npu"))
        print(f"{name:12} {on_cpu:6.1f} {on_npu:6.1f} {on_npu - on_cpu:6.1f}")
