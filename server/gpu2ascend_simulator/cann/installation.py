"""Has torch's CPU kernels compute the operators of an imported torch_npu, once for a process and for good."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import torch

from ..device.devices.current import BAD_FORK
from ..device.kernels import batch_norm, convolutions, recurrent
from ..device.operators.fallback import fallback
from ..device.operators.machine import MACHINE
from ..device.operators.untraced import is_tracing, untraced
from ..device.patches import parallel
from . import drawing, memory, scaling
from .fused import CASTS, fused_kernels

_KEY, _AUTOGRAD = "PrivateUse1", "AutogradPrivateUse1"
_has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
_COMPUTED = ("CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
_COMPOSED = "CompositeImplicitAutograd"
_OF_THE_WHEEL = frozenset(
    {
        *("empty", "empty_like", "empty_strided", "new_empty_strided", "_to_copy", "_copy_from_and_resize"),
        *("set_", "resize_", "resize_as_", "as_strided_", "is_set_to", "_lazy_clone", "contiguous"),
        *("is_pinned", "_pin_memory", "record_stream", "_local_scalar_dense"),
    }
)
"""What makes tensors, looks at them another way, and manages their memory. Views are the wheel's as well."""
_COMPOSED_BY_TORCH = frozenset({"_pack_padded_sequence"})
"""What has a result on the CPU: torch makes it of operators of each device."""
_COMPOSED_IN_TRACES = frozenset({"convolution"})
"""What is no part of a trace, which has the operators that it is made of."""
_KERNELS: dict[str, Callable[..., Any]] = {"copy_": memory.copy, **batch_norm.KERNELS, **convolutions.KERNELS}
_fallback = untraced(fallback)
_libraries: list[Any] = []


def install() -> None:
    """Take the place of the wheel's kernels. One that stays asks CANN, which refuses it by name.

    Where no device is visible, the wheel says so to whoever asks for one.
    """
    if _libraries or not torch.npu.is_available():
        return
    _set_machine()
    parallel.install()
    torch.npu.init()
    memory.follow_messages()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _register("aten", _kernels())
        _register("npu", ((name, key, run) for name, run in fused_kernels() for key in (_KEY, _AUTOGRAD)))
        _register("npu", ((name, _KEY, run) for name, run in CASTS.items() if hasattr(torch.ops.npu, name)))
    # As after the import alone: a DeviceMesh chooses the device of a rank that has not begun.
    torch.npu._initialized = False


def _register(namespace: str, kernels: Iterable[tuple[str, str, Callable[..., Any]]]) -> None:
    library = torch.library.Library(namespace, "IMPL")
    _libraries.append(library)
    takes = "allow_override" in inspect.signature(library.impl).parameters
    options = {"allow_override": True} if takes else {}  # older releases ask for nothing
    for name, key, kernel in kernels:
        library.impl(name, kernel, key, **options)


def _set_machine() -> None:
    MACHINE.on_host = memory.on_host
    MACHINE.to_read = memory.to_read
    MACHINE.on_device = memory.on_device
    MACHINE.become = memory.become
    MACHINE.part_of = memory.part_of
    MACHINE.current_device = torch.npu.current_device
    MACHINE.draw = drawing.draw
    os.register_at_fork(after_in_child=_refuse_forked)


def _refuse_forked() -> None:
    """A device that a process has used is no device of those that it forks."""

    def refuse(*_: Any) -> NoReturn:
        raise RuntimeError(BAD_FORK)

    MACHINE.on_host = MACHINE.to_read = MACHINE.on_device = MACHINE.become = refuse


def _kernels() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Names of operators, the keys of the dispatcher that they are computed for, and what computes them."""
    for qualified, operator in _registered():
        name = qualified.partition("::")[2]
        if _is_left(operator) or name in _KERNELS or name in recurrent.KERNELS:
            continue
        if name in _COMPOSED_BY_TORCH:
            yield name, _KEY, _composed(operator, "CompositeExplicitAutograd")
        elif name in _COMPOSED_IN_TRACES:
            yield name, _KEY, _computed_or_traced(operator)
        elif any(_has_kernel(qualified, key) for key in _COMPUTED):
            yield name, _KEY, functools.partial(_fallback, operator)
        elif name in scaling.KERNELS:
            yield name, _KEY, untraced(scaling.KERNELS[name])
        elif _has_kernel(qualified, _COMPOSED):
            # Also where torch's own derivative would be taken: of a matmul it is for nested tensors.
            yield from ((name, key, _composed(operator, _COMPOSED)) for key in (_KEY, _AUTOGRAD))
    yield from ((name, _KEY, untraced(kernel)) for name, kernel in _KERNELS.items())
    yield from ((name, key, run) for name, run in recurrent.KERNELS.items() for key in (_KEY, _AUTOGRAD))


def _registered() -> Iterator[tuple[str, Any]]:
    for qualified in torch._C._dispatch_get_registrations_for_dispatch_key(_KEY):
        namespace, _, name = qualified.partition("::")
        packet, _, overload = name.partition(".")
        if namespace == "aten" and hasattr(torch.ops.aten, packet):
            operator = getattr(getattr(torch.ops.aten, packet), overload or "default", None)
            if operator is not None:
                yield qualified, operator


def _is_left(operator: Any) -> bool:
    schema = operator._schema
    is_view = any(given.alias_info and not given.alias_info.is_write for given in schema.returns)
    return is_view or schema.name.partition("::")[2] in _OF_THE_WHEEL


def _composed(operator: Any, key: str) -> Callable[..., Any]:
    """What torch makes of other operators, in whatever way the wheel does it at once. Traces have those."""
    return functools.partial(operator._op_dk, getattr(torch._C.DispatchKey, key))


def _computed_or_traced(operator: Any) -> Callable[..., Any]:
    composed = _composed(operator, "CompositeExplicitAutograd")

    def run(*args: Any, **kwargs: Any) -> Any:
        return composed(*args, **kwargs) if is_tracing() else fallback(operator, *args, **kwargs)

    return run
