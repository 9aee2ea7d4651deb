"""The functional collectives, by which DTensor changes its placements, on tensors of the device.

Their C++ half asks a group for a back end of a kind that none made in Python is.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _resolve_process_group

_libraries: list[Any] = []


def install() -> None:
    """Take the place of torch's kernels, once for a process."""
    if _libraries:
        return
    from torch.distributed import _functional_collectives  # noqa: F401 - it declares the operators

    library = torch.library.Library("_c10d_functional", "IMPL")
    _libraries.append(library)
    for name, kernel in _KERNELS.items():
        with contextlib.suppress(RuntimeError):  # of a release without the operator
            library.impl(name, kernel, "PrivateUse1")


def _group(name: Any) -> Any:
    return _resolve_process_group(name) if isinstance(name, str) else name


def gather(input: Any, group_size: int, group_name: Any) -> Any:
    """``all_gather_into_tensor``: the tensors of all ranks, one after the other."""
    result = input.new_empty((input.shape[0] * group_size, *input.shape[1:]))
    _group(group_name)._allgather_base(result, input.contiguous()).wait()
    return result


def scatter_reduced(input: Any, reduce_op: str, group_size: int, group_name: Any) -> Any:
    """``reduce_scatter_tensor``: this rank's part of the reduction over all ranks."""
    result = input.new_empty((input.shape[0] // group_size, *input.shape[1:]))
    options = dist.ReduceScatterOptions()
    options.reduceOp = getattr(dist.ReduceOp, reduce_op.upper())
    _group(group_name)._reduce_scatter_base(result, input.contiguous(), options).wait()
    return result


def gather_each(inputs: Any, group_size: int, group_name: Any) -> Any:
    """``all_gather_into_tensor_coalesced``."""
    return [gather(input, group_size, group_name) for input in inputs]


def scatter_each_reduced(inputs: Any, reduce_op: str, group_size: int, group_name: Any) -> Any:
    """``reduce_scatter_tensor_coalesced``."""
    return [scatter_reduced(input, reduce_op, group_size, group_name) for input in inputs]


_KERNELS = {
    "all_gather_into_tensor": gather,
    "all_gather_into_tensor_coalesced": gather_each,
    "reduce_scatter_tensor": scatter_reduced,
    "reduce_scatter_tensor_coalesced": scatter_each_reduced,
}
