"""What the simulated device costs: a step of a small network on it, beside the same step on the CPU.

Runs where the device has been made; ``python -I -m gpu2ascend_simulator.cost`` makes one and prints the cost.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn

BUDGET = 20.0
"""How many times the CPU's time a step may take."""

IMAGE = 14
BATCH = 16
CLASSES = 10
WARM_UP = 3


class Cost(NamedTuple):
    """Milliseconds of processor time per step, the medians of steps that were run turn about."""

    cpu: float
    device: float

    @property
    def ratio(self) -> float:
        """How many times the CPU's time the device takes."""
        return self.device / self.cpu


def _step(device: str) -> Callable[[], float]:
    """A training of the network on a device; each call is a step and gives its milliseconds."""
    network = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, CLASSES),
    ).to(device)
    optimizer = torch.optim.SGD(network.parameters(), 0.1, momentum=0.9)
    images = torch.zeros(BATCH, 1, IMAGE, IMAGE).to(device)
    labels = torch.zeros(BATCH, dtype=torch.long).to(device)

    def step() -> float:
        start = time.process_time()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        loss.item()
        return (time.process_time() - start) * 1000

    return step


def measure(steps: int = 30) -> Cost:
    """Trains on both, turn about."""
    on_cpu, on_device = _step("cpu"), _step("npu")
    pairs = [(on_cpu(), on_device()) for _ in range(steps + WARM_UP)][WARM_UP:]
    return Cost(*(statistics.median(times) for times in zip(*pairs, strict=True)))


def main() -> None:
    """Prints the cost: milliseconds on the CPU, on the device, their ratio, and its budget."""
    from .device import standalone

    standalone.start()
    torch.set_num_threads(1)
    cost = measure()
    print(f"{cost.cpu:.3f} {cost.device:.3f} {cost.ratio:.2f} {BUDGET:g}")


if __name__ == "__main__":
    main()
