"""The backend ``hccl`` of ``torch.distributed``."""

import torch.distributed as dist

from gpu2ascend_rules.model.versions import Version

from .._extension import library
from .._version import VERSION

__all__ = ["is_available", "is_hccl_available"]


def is_hccl_available():
    """Whether the backend can be used."""
    return True


def is_available():
    """Whether distributed training can be used."""
    return dist.is_available()


def _create(store, rank, size, timeout):
    return library.ProcessGroupHCCL(dist.ProcessGroupGloo(store, rank, size, timeout))


def install():
    """Makes torch know the backend."""
    dist.Backend.register_backend("hccl", _create, devices=["npu"])
    if Version(1, 11) <= VERSION:
        dist.is_hccl_available = is_hccl_available
