"""The beginning of a rank's program: it has an NPU of its own and a group of all ranks."""

from __future__ import annotations

import datetime
import faulthandler
import os
import warnings
from typing import Any

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401 - it makes the device

from gpu2ascend_simulator.cann.start import begin

RANK = int(os.environ["RANK"])
WORLD = int(os.environ["WORLD_SIZE"])


def meet(seconds: float = 120, device: int = RANK) -> None:
    """Begin."""
    warnings.simplefilter("ignore")
    faulthandler.enable()
    begin({}, compares=False)
    torch.npu.set_device(device)
    dist.init_process_group("hccl", timeout=datetime.timedelta(seconds=seconds))


def numbers(*values: Any, dtype: torch.dtype = torch.float32) -> Any:
    """A tensor of the device."""
    return torch.tensor(values, dtype=dtype, device="npu")
