"""Copies between the device and what Gloo carries.

Gloo knows fewer types than HCCL: sums are made in a wider type, other transfers are made of bytes.
"""

from __future__ import annotations

from typing import Any

import torch

from ..device.operators.machine import MACHINE


def bytes_of(tensor: Any) -> Any:
    """A copy of a tensor's elements, one after the other, as bytes of the host."""
    return (
        MACHINE.on_host(tensor.detach())
        .clone(memory_format=torch.contiguous_format)
        .flatten()
        .view(torch.uint8)
    )


def terms_of(tensor: Any) -> Any:
    """A flat copy of a tensor on the host, in a type that Gloo adds up without loss."""
    wide = torch.float32 if tensor.dtype.is_floating_point else torch.int64
    return MACHINE.on_host(tensor.detach()).to(wide, copy=True).contiguous().flatten()


def put_bytes(received: Any, tensor: Any) -> None:
    """Write bytes of the host into a tensor of the device."""
    # A view of another type must start on its own alignment.
    with torch.no_grad():
        MACHINE.on_host(tensor.detach()).copy_(received.clone().view(tensor.dtype).view(tensor.shape))


def put_sum(total: Any, tensor: Any) -> None:
    """Write a sum made on the host into a tensor of the device, in the tensor's type."""
    with torch.no_grad():
        MACHINE.on_host(tensor.detach()).copy_(total.view(tensor.shape))
