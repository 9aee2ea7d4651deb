"""Casts to integers, through which PyTorch takes no gradient; MindSpore casts its gradients back.

``x.long()`` becomes ``ops.stop_gradient(x).long()`` where gradients may be taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    passed_to,
    without_parentheses,
)

from ...differentiated import is_differentiated
from ...evidence import Evidence
from ...use import Use, changed
from ...values.legacy_types import DTYPES, cast_to
from .detached import is_gradient_free

_INTEGERS = frozenset({"bool", "byte", "char", "int", "long", "short"})
_TYPES = _INTEGERS | {"int8", "int16", "int32", "int64", "uint8"}
_CLASSES = frozenset(name for name, kind in DTYPES.items() if kind.startswith(("int", "uint", "bool")))
_WITHOUT_GRADIENT = frozenset(
    {
        "all", "any", "arange", "argmax", "argmin", "argsort", "detach", "eq", "ge", "gt", "isfinite",
        "isnan", "le", "logical_not", "lt", "ne", "nonzero", "ones", "randint", "randperm", "size",
        "tril", "triu", "zeros",
    }
)  # fmt: skip
"""What gives a constant, or numbers that no gradient goes through."""
_CHOOSE = frozenset(
    {
        "gather", "index_add", "index_select", "masked_fill", "masked_fill_", "masked_select", "one_hot",
        "scatter", "scatter_", "where",
    }
)  # fmt: skip
"""Methods that pick elements by integers."""


def uses_of_integers(evidence: Evidence) -> Iterator[Use]:
    """What a cast to integers is given where gradients may be taken, without its gradient."""
    for ref in scan_members(evidence.source, sorted({*_INTEGERS, "to", "type"})):
        call = call_of(ref.node)
        if call is None or not _gives_integers(evidence, call, ref.name):
            continue
        if (
            not _is_chosen_by(evidence, call)
            and _may_have_gradient(evidence, ref.receiver)
            and is_differentiated(evidence, call)
        ):
            start, end = ref.receiver.start_byte, ref.receiver.end_byte
            edits = [Edit(start, start, "ops.stop_gradient("), Edit(end, end, ")")]
            yield changed(f"torch.Tensor.{ref.name}", call, edits, {"ops"})


def _gives_integers(evidence: Evidence, call: Node, name: str) -> bool:
    given = arguments_of(call)
    if name in _INTEGERS:
        return not given.items and not given.unpacked
    if name == "type" and cast_to(evidence.source, call) in _CLASSES:
        return True
    types = {evidence.source.names.name_of(one.value).removeprefix("torch.") for one in given.items}
    return not types.isdisjoint(_TYPES)


def _is_chosen_by(evidence: Evidence, call: Node) -> bool:
    """Whether integers only choose: as an index, or given to a layer, a loss or a method that picks."""
    given, holder = passed_to(call), parent_of(call)
    if given is None:
        return holder is not None and holder.type == "subscript" and not is_field(call, "value")
    function = field(given.call, "function")
    if function is None or last_name(given.call) in _CHOOSE:
        return True
    layer = evidence.instance(function)
    known = layer.class_name if layer is not None else evidence.source.names.name_of(function)
    return known.startswith("torch.nn.")


def _may_have_gradient(evidence: Evidence, receiver: Node) -> bool:
    """Whether a gradient may go through a value: no comparison, no constant, and no data of the loop."""
    value = without_parentheses(receiver)
    if value.type in ("comparison_operator", "not_operator") or last_name(value) in _WITHOUT_GRADIENT:
        return False
    if any(is_gradient_free(evidence, one) for one in ancestors(value)):
        return False
    bindings = evidence.reaching(value) if value.type == "identifier" else ()
    return not bindings or any(one.kind is not BindingKind.LOOP for one in bindings)
