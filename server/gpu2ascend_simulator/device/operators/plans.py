"""What is worked out once for each operator."""

from __future__ import annotations

from typing import Any

import torch

from .. import restrictions, trace

_TAKES_CPU_ARGUMENTS = frozenset(
    {
        "aten::index",
        "aten::_unsafe_index",
        "aten::index_put_",
        "aten::index_put",
        "aten::_index_put_impl_",
        "aten::_unsafe_index_put",
        "aten::_pack_padded_sequence",
        "aten::_ctc_loss",
        "aten::_ctc_loss_backward",
    }
)
"""Operators that take some argument on the CPU on purpose: indices, lengths."""

_TAKES_NO_CPU_SCALAR = frozenset({"aten::where", "aten::stack"})
"""Elsewhere a CPU tensor without dimensions passes for a number."""

_COMPARES = frozenset(f"aten::{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge", "equal"))
"""Comparing a number on the CPU with one of the device crashes the real device."""


_TAKES_NUMBERS = frozenset(
    f"aten::{name}{kind}" for name in ("add", "sub", "mul", "div") for kind in ("", "_")
)
"""Operators that take a number for any tensor. Torch hands the numbers of expressions over as such."""


class Plan:
    """An operator, and how to run it.

    Attributes:
        operator: what torch calls.
        name: its qualified name, without overload.
        use: its entry in the trace.
        refused: data types that the device refuses, and whether it raises.
        takes_cpu: whether some arguments may be on the CPU.
        takes_cpu_scalar: whether a CPU tensor without dimensions passes for a number.
        compares: whether it compares values.
        draws: whether it draws random numbers.
        takes_generator: whether it can be given a generator.
        mutates: whether it changes an argument.
        makes_new: whether no result is an argument or a part of one.
        object_places: where it takes tensors, lists that may have some, or a device.
        number_places: where it takes a tensor and does not take a number in its place.
    """

    __slots__ = (
        "compares",
        "draws",
        "makes_new",
        "mutates",
        "name",
        "number_places",
        "object_places",
        "operator",
        "refused",
        "takes_cpu",
        "takes_cpu_scalar",
        "takes_generator",
        "use",
    )

    def __init__(self, operator: Any) -> None:
        """Reads the operator's schema."""
        schema = operator._schema
        self.operator = operator
        self.name: str = schema.name
        self.use = trace.use_of(f"{schema.name}.{schema.overload_name}".rstrip("."))
        self.refused = restrictions.restricted_dtypes(schema.name)
        self.takes_cpu = schema.name in _TAKES_CPU_ARGUMENTS
        self.takes_cpu_scalar = schema.name not in _TAKES_NO_CPU_SCALAR
        self.compares = schema.name in _COMPARES
        self.draws = torch.Tag.nondeterministic_seeded in operator.tags
        self.takes_generator = any(argument.name == "generator" for argument in schema.arguments)
        self.mutates: bool = schema.is_mutable
        is_kernel = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CPU")
        has_alias = any(given.alias_info for given in schema.returns)
        self.makes_new = is_kernel and not has_alias
        self.object_places = tuple(
            place for place, argument in enumerate(schema.arguments) if _may_hold_objects(argument)
        )
        self.number_places: tuple[int, ...] = ()
        if schema.name not in _TAKES_NUMBERS:
            self.number_places = tuple(
                place for place, argument in enumerate(schema.arguments) if str(argument.type) == "Tensor"
            )

    def overload_for(self, args: Any) -> Any:
        """What to call with arguments: the operator, or its siblings where there is a number for a tensor."""
        for place in self.number_places:
            if place < len(args) and isinstance(args[place], (int, float, complex)):
                return self.operator.overloadpacket
        return self.operator


def _may_hold_objects(argument: Any) -> bool:
    return any(word in str(argument.type) for word in ("Tensor", "Device", "Any"))


_plans: dict[Any, Plan] = {}


def plan_of(operator: Any) -> Plan:
    """The plan of an operator; its use is counted."""
    plan = _plans.get(operator)
    if plan is None:
        plan = _plans[operator] = Plan(operator)
    use = plan.use
    if use.first is None and not use.count:
        use.first = trace.project_line()
    use.count += 1
    return plan
