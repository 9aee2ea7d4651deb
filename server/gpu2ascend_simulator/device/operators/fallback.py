"""Every operator without a kernel of its own: checked as by the real device, computed by the CPU."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_map

from .call import Call
from .machine import MACHINE
from .plans import plan_of

_NoTorchFunction = torch._C.DisableTorchFunction
_COMPOSITIONS = (
    "CompositeExplicitAutogradNonFunctional",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutograd",
)
_autocasts_cpu = functools.partial(torch.is_autocast_enabled, "cpu")
if not hasattr(torch, "get_autocast_dtype"):  # before torch 2.4
    _autocasts_cpu = torch.is_autocast_cpu_enabled
_AUTOCAST_OF_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)


def fallback(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """Runs an operator of which some tensor is on the device.

    Raises:
        RuntimeError: as the real device does for tensors of two devices and for types that it refuses.
    """
    with _NoTorchFunction():
        plan = plan_of(operator)
        call = Call(plan)
        host_args = call.arguments(args)
        host_kwargs = {name: call.to_host(value) for name, value in kwargs.items()} if kwargs else kwargs
        call.check(args[0] if args else None)
        if call.device is None or call.device.index is None:
            call.device = torch.device("npu", MACHINE.current_device())
        run = plan.overload_for(host_args) if plan.number_places else operator._op
        if plan.draws:
            result = MACHINE.draw(plan, call.device.index, host_args, host_kwargs)
        elif _autocasts_cpu():
            with torch._C._ExcludeDispatchKeyGuard(_AUTOCAST_OF_CPU):
                result = computed(run, plan, host_args, host_kwargs)
        else:
            result = computed(run, plan, host_args, host_kwargs)
        if plan.mutates:
            call.settle()
        return call.from_host(result)


def computed(run: Any, plan: Any, args: list[Any], kwargs: Any) -> Any:
    """What the CPU computes; in float32 what the kernels of an older torch do not have for halves."""
    try:
        return run(*args, **kwargs)
    except RuntimeError as error:
        if plan.mutates or "Half" not in str(error):
            raise
    wide = tree_map(functools.partial(_as, torch.float16, torch.float32), (args, kwargs))
    result = run(*wide[0], **wide[1])
    return tree_map(functools.partial(_as, torch.float32, torch.float16), result)


def _as(given: Any, wanted: Any, value: Any) -> Any:
    return value.to(wanted) if isinstance(value, torch.Tensor) and value.dtype is given else value


def direct_kernels() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Kernels of the operators that torch would otherwise make of others, where the CPU has one of its own.

    The fallback takes all; directly it is asked once instead of twice, the trace has the name of the operator
    that was called, and the CPU's kernel takes what a composition does not, such as permuted input.
    """
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    for qualified in torch._C._dispatch_get_all_op_names():
        namespace, _, name = qualified.partition("::")
        if namespace != "aten" or not has_kernel(qualified, "CPU"):
            continue
        if any(has_kernel(qualified, key) for key in _COMPOSITIONS):
            packet, _, overload = name.partition(".")
            operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
            yield name, functools.partial(fallback, operator)
