"""Fused operators of the wheel with a plain formula. What is not here asks CANN, which refuses it by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..device.kernels import batch_norm
from ..fused import activations, attention, moving, norms
from . import derivatives, memory

_LEFT = frozenset({"get_npu_format"})
"""What the wheel answers itself."""


def _is_not_finite(gradients: Any) -> bool:
    return any(not bool(torch.isfinite(gradient).all()) for gradient in gradients)


_PLAIN: dict[str, Callable[..., Any]] = {
    "_npu_format_cast": lambda input, *_: input,
    "_amp_foreach_non_finite_check": _is_not_finite,
    "batch_norm_gather_stats_update": batch_norm.gather_sums,
    "batch_norm_reduce": batch_norm.sums,
    "copy_memory_": lambda input, source, non_blocking=False: input.copy_(source),
    "fast_gelu": activations.npu_fast_gelu,
    "npu_bmmV2": lambda input, other, sizes: input.bmm(other),
    "npu_broadcast": lambda input, size: input.expand(size).clone(),
    "npu_reshape": lambda input, shape, can_refresh=False: input.reshape(shape).clone(),
    "npu_transpose": lambda input, order, require_contiguous=True: input.permute(order).contiguous(),
    "one_": lambda input: input.fill_(1),
}


def _cast(input: Any, dtype: Any) -> Any:
    """Another type: of some releases, this is what a tensor's ``to`` asks of the device."""
    with torch._C.DisableTorchFunction():
        return memory.on_device(memory.on_host(input).to(dtype, copy=True), input.device.index)


_CASTS = ("npu_dtype_cast", "npu_dtype_cast_backward", "_npu_dtype_cast", "_npu_dtype_cast_backward")
CASTS = dict.fromkeys(_CASTS, _cast)
"""Kernels below the wheel's own derivatives."""


def fused_kernels() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Names in the namespace of the wheel, with their overloads, and what computes them."""
    modules = (activations, attention, derivatives, moving, norms)
    formulas = {name: getattr(module, name) for module in modules for name in module.__all__}
    for name, formula in (formulas | _PLAIN).items():
        packet = getattr(torch.ops.npu, name, None)
        if packet is None or name in _LEFT or name in CASTS:
            continue
        for overload in packet.overloads():
            if overload != "out":
                operator = getattr(packet, overload)
                yield f"{name}.{overload}".removesuffix(".default"), _by_schema(operator, formula)


def _by_schema(operator: Any, formula: Callable[..., Any]) -> Callable[..., Any]:
    """The formula for the arguments that an operator of this release is called with.

    Raises:
        NotImplementedError: it is given an argument that the formula does not know.
    """
    name = operator._schema.name
    names = [argument.name for argument in operator._schema.arguments]
    parameters = inspect.signature(formula).parameters
    takes_any = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters.values())
    positional = [key for key, given in parameters.items() if given.kind is given.POSITIONAL_OR_KEYWORD]

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if takes_any:
            return formula(*args, **kwargs)
        count = len(positional)
        named = dict(zip(names[count:], args[count:], strict=False)) | kwargs
        unknown = sorted(key for key, value in named.items() if key not in parameters and value is not None)
        if unknown:
            given = ", ".join(unknown)
            raise NotImplementedError(f"{name} is not computed on the emulated CANN with {given}")
        return formula(*args[:count], **{key: value for key, value in named.items() if key in parameters})

    return kernel
