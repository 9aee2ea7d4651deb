"""Makes torch know the back end."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist

from . import functional, unused
from .group import ProcessGroupHCCL


def install() -> None:
    """Register ``hccl`` for tensors of the device, once for a process."""
    if dist.is_available() and "HCCL" not in dist.Backend._plugins:
        dist.Backend.register_backend("hccl", _make, devices=["npu"])
        unused.install()
        functional.install()


def _make(store: Any, rank: int, size: int, timeout: Any) -> ProcessGroupHCCL:
    return ProcessGroupHCCL(store, rank, size, timeout)
