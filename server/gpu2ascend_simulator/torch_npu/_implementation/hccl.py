"""The back end ``hccl`` of ``torch.distributed``."""

from __future__ import annotations

import torch.distributed as dist

from gpu2ascend_simulator.on_cpu.needed import IS_MAPPED

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
    if not IS_MAPPED:
        from gpu2ascend_simulator.hccl import installation

        installation.install()
    if VERSION >= (1, 11):
        dist.is_hccl_available = is_hccl_available
