"""Kernels of the device that are functions of tensors of the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .call import Call
from .plans import plan_of


def hosted(operator: Any, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that computes with tensors of the CPU in the place of the device's.

    Args:
        operator: whose name errors and the trace have.
        compute: takes the arguments with tensors of the CPU, and may change those.
    """

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction():
            call = Call(plan_of(operator))
            host_args = call.arguments(args)
            host_kwargs = {name: call.to_host(value) for name, value in kwargs.items()}
            call.check(args[0])
            return call.from_host(compute(*host_args, **host_kwargs))

    return kernel
