"""Casts to a class of tensors: ``x.type(torch.FloatTensor)`` as ``x.astype(ms.float32)``.

Types of Python are types of tensors in PyTorch, too: ``torch.ones(3, dtype=bool)``. No gradient goes through
integers in PyTorch; MindSpore casts its gradients back: ``ops.stop_gradient(x).long()``.
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
    enclosing,
    field,
    is_field,
    last_name,
    passed_to,
    text_of,
    without_parentheses,
)

from ..differentiated import is_differentiated
from ..evidence import Evidence
from ..training.constant.detached import is_gradient_free
from ..use import Use, changed
from ..values.legacy_types import DTYPES, cast_to

_TYPE = "torch.Tensor.type"
_OF_PYTHON = {"bool": "bool_", "int": "int64", "float": "float64"}
_INTEGERS = frozenset({"bool", "byte", "char", "int", "long", "short"})
_TYPES = _INTEGERS | {"int8", "int16", "int32", "int64", "uint8"}
_CLASSES = frozenset(name for name, kind in DTYPES.items() if kind.startswith(("int", "uint", "bool")))
_WITHOUT_GRADIENT = frozenset(
    {"all", "any", "arange", "argmax", "argmin", "argsort", "detach", "eq", "ge", "gt", "isfinite", "isnan"}
    | {
        "le",
        "logical_not",
        "lt",
        "ne",
        "nonzero",
        "ones",
        "randint",
        "randperm",
        "size",
        "zeros",
        "tril",
        "triu",
    }
)
"""What gives a constant, or numbers that no gradient goes through."""
_CHOOSE = frozenset(
    {
        "gather",
        "index_add",
        "index_select",
        "masked_fill",
        "masked_fill_",
        "masked_select",
        "one_hot",
        "scatter",
    }
    | {"scatter_", "where"}
)


def uses_of_casts(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each cast: nothing but a tensor is given such a class."""
    if not evidence.imports:
        return
    yield from _to_integers(evidence)
    for ref in scan_members(evidence.source, ["type"]):
        call, name = call_of(ref.node), field(ref.node, "attribute")
        kind = cast_to(evidence.source, call) if call is not None else ""
        if call is None or name is None or not kind:
            continue
        given = arguments_of(call).items[0].value
        evidence.take_care_of(call, but=ref.receiver)
        edits = [
            Edit(name.start_byte, name.end_byte, "astype"),
            Edit(given.start_byte, given.end_byte, f"ms.{DTYPES[kind]}"),
        ]
        yield changed(_TYPE, call, edits, {"ms"})
    yield from _of_python(evidence)


def _to_integers(evidence: Evidence) -> Iterator[Use]:
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


def _of_python(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each type of Python that a function of torch is given as a type."""
    for kind, new in _OF_PYTHON.items():
        for name in evidence.source.identifiers(kind):
            argument = parent_of(name)
            if argument is None or argument.type != "keyword_argument" or is_field(name, "name"):
                continue
            call = enclosing(argument, "call")
            function = field(call, "function")
            is_dtype = text_of(field(argument, "name")) == "dtype" and not evidence.source.names.bindings(
                kind
            )
            if function is None or not is_dtype or not _is_of_torch(evidence, function):
                continue
            evidence.take_care_of(name)
            edit = Edit(name.start_byte, name.end_byte, f"ms.{new}")
            yield changed("torch.dtype", name, [edit], {"ms"})


def _is_of_torch(evidence: Evidence, function: Node) -> bool:
    """Whether a function is one of torch, or a method of a tensor."""
    owner = field(function, "object")
    name = evidence.source.names.name_of(function)
    return name.startswith("torch.") or (owner is not None and evidence.is_of_kind(owner, "tensor"))
