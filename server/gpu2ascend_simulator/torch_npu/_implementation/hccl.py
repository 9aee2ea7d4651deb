"""The back end ``hccl`` of ``torch.distributed``."""

from __future__ import annotations

import torch.distributed as dist

from gpu2ascend_simulator.hccl import installation

from .._version import VERSION

__all__ = ["is_available", "is_hccl_available"]


def is_hccl_available() -> bool:
    """Whether the backend can be used."""
    return True


def is_available() -> bool:
    """Whether distributed training can be used."""
    return bool(dist.is_available())


def install() -> None:
    """Makes torch know the backend."""
    installation.install()
    if VERSION >= (1, 11):
        dist.is_hccl_available = is_hccl_available
