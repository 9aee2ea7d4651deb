"""Runs an original on the CPU: what is asked of CUDA is done there, as far as that has the same meaning.

Only for comparing numbers: streams, events and the statistics of memory do nothing.
"""

from __future__ import annotations

from typing import Any

from .answers import answer_for_accelerator, answer_for_cuda
from .casting import cast_on_the_cpu
from .devices import map_devices
from .groups import communicate_by_gloo, forward_on_one
from .kinds import CUDA


def map_cuda_to_cpu(torch: Any) -> None:
    """Change torch for good: devices of CUDA mean the CPU, and the functions of ``torch.cuda`` answer."""
    answer_for_cuda(torch)
    answer_for_accelerator(torch, CUDA)
    cast_on_the_cpu(torch, CUDA)
    communicate_by_gloo(torch, CUDA)
    forward_on_one(torch)
    map_devices(torch, CUDA)
