"""Runs calls on the CPU and notes the operators that reach a device's kernels."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

_COMPOSED = (
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
)
_OF_THE_CPU = ("mkldnn", "mkl_", "_cpu", "nnpack", "xnnpack", "fbgemm")
"""Parts of the names of operators by which the CPU computes what other devices compute otherwise."""


class Call(NamedTuple):
    """One way to call an API."""

    api: str
    run: Callable[[], Any]


class Composition(NamedTuple):
    """The operators, without namespace and overload, that an API computes by on any device."""

    always: frozenset[str]
    """Those that every sample reached."""
    sometimes: frozenset[str]
    """Those that only some samples reached."""


def compositions(calls: Iterable[Call]) -> dict[str, Composition]:
    """What each API is made of.

    A call that fails shows nothing. An API that the CPU computes by operators that only the CPU has is left
    out: what another device does cannot be seen.
    """
    reached: dict[str, list[frozenset[str]]] = {}
    for call in calls:
        operators = _reached(call)
        if operators is not None:
            reached.setdefault(call.api, []).append(operators)
    found = {}
    for api, runs in reached.items():
        every = frozenset[str]().union(*runs)
        if not any(part in operator for operator in every for part in _OF_THE_CPU):
            always = runs[0].intersection(*runs)
            found[api] = Composition(always, every - always)
    return found


def _reached(call: Call) -> frozenset[str] | None:
    names: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with _recorder(names):
                call.run()
        except Exception:  # a sample may be for another build of PyTorch; the others show enough
            return None
    aten = (name for name in names if name.startswith("aten::") and not _is_composed(name))
    return frozenset(name.removeprefix("aten::").partition(".")[0] for name in aten)


def _recorder(names: set[str]) -> Any:
    """A context that notes the operators, with overloads, that are dispatched to a device."""
    dispatch: Any = importlib.import_module("torch.utils._python_dispatch")

    class Recorder(dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            names.add(function.name())
            return function(*args, **(kwargs or {}))

    return Recorder()


@cache
def _is_composed(operator: str) -> bool:
    """Whether an operator is made of others on every device that has no kernel of its own for it.

    One that only hands its operands on to its variant with ``out=`` is made of nothing but that.
    """
    name = operator.partition(".")[0]
    return _is_for_all(operator) and all(
        _is_for_all(variant) for variant in _variants_with_out(name) if _has_kernel(variant, "CPU")
    )


def _is_for_all(operator: str) -> bool:
    return any(_has_kernel(operator, key) for key in _COMPOSED)


def _variants_with_out(name: str) -> Iterator[str]:
    torch: Any = importlib.import_module("torch")
    packet = getattr(torch.ops.aten, name.removeprefix("aten::"))
    for overload in (getattr(packet, item) for item in packet.overloads()):
        if any(argument.is_out for argument in overload._schema.arguments):
            yield overload.name()


def _has_kernel(operator: str, key: str) -> bool:
    torch: Any = importlib.import_module("torch")
    try:
        return bool(torch._C._dispatch_has_kernel_for_dispatch_key(operator, key))
    except RuntimeError:  # an overload that only TorchScript has
        return False
