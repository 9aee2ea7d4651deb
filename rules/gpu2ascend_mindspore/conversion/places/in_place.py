"""Methods in place: ``x.masked_fill_(mask, 0)`` as ``x = x.masked_fill(mask, 0)``, where no other name has x.

In MindSpore such a method has no kernel on the CPU, or changes nothing without an error. The new tensor gets
the name; where the old one may have another, or part of it, that would keep the old value, and nothing is
written.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import tensor_methods
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import (
    LOOPS,
    ancestors,
    arguments_of,
    call_of,
    called_on,
    field,
    is_field,
    last_name,
    passed_to,
    same,
    text_of,
)
from gpu2ascend_rules.text.uses import uses_of_variable

from ..evidence import Evidence
from ..table import use_of
from ..use import Use, changed
from ..values.legacy_types import legacy_type

_TENSOR = "torch.Tensor."
VIEWS = frozenset(
    {
        "as_strided", "chunk", "contiguous", "cpu", "cuda", "data", "detach", "diagonal", "double", "expand",
        "expand_as", "flatten", "float", "half", "imag", "int", "long", "mT", "movedim", "narrow", "permute",
        "ravel", "real", "requires_grad_", "reshape", "reshape_as", "select", "split", "squeeze", "swapaxes",
        "swapdims", "T", "t", "tensor_split", "to", "transpose", "type", "type_as", "unbind", "unflatten",
        "unfold", "unsqueeze", "view", "view_as", "as_tensor", "from_numpy", "broadcast_to", "atleast_1d",
        "atleast_2d", "atleast_3d", "broadcast_tensors", "hsplit", "vsplit", "conj", "squeeze_", "moveaxis",
    }
)  # fmt: skip
"""What may give the tensor itself, or a part of it, under another name."""
_READ_WITHOUT_TRACE = frozenset({"shape", "dtype", "ndim", "device", "is_cuda", "requires_grad"})
_GIVES_NAME = frozenset(
    {"assignment", "list", "tuple", "set", "pair", "keyword_argument", "expression_list", "named_expression"}
    | {"conditional_expression", "list_splat", "default_parameter", "yield", "lambda", "boolean_operator"}
)
"""Where an expression that stands by itself may get another name."""
_BUILTINS = frozenset({"len", "print", "isinstance", "float", "int", "bool", "str", "repr", "type", "range"})
_SETS = ("copy_", "fill_", "zero_")


def uses_in_place(evidence: Evidence) -> Iterator[Use]:
    """What becomes of the statements that change a tensor in place."""
    for name in sorted(one for one in tensor_methods() if one.endswith("_") and not one.endswith("__")):
        if not _has_counterpart(evidence, name) and name not in _SETS:
            continue
        for identifier in evidence.source.identifiers(name):
            function = parent_of(identifier)
            call = call_of(function) if function is not None and function.type == "attribute" else None
            if call is None or function is None or evidence.is_taken_care_of(function):
                continue
            use = _use(evidence, name, function, call)
            if use is not None:
                evidence.take_care_of(function, field(function, "object"))
                yield use


def _has_counterpart(evidence: Evidence, name: str) -> bool:
    """Whether what gives a new tensor stands for a method in place, or for its plain form."""
    return f"{_TENSOR}{name.removesuffix('_')}" in evidence.entries or gives_new(evidence, f"{_TENSOR}{name}")


def gives_new(evidence: Evidence, api: str) -> bool:
    """Whether the counterpart of a method in place is a function that leaves the tensor as it is."""
    return api.endswith("_") and any(one.is_of_helper for one in evidence.entries.get(api, ()))


def _use(evidence: Evidence, name: str, function: Node, call: Node) -> Use | None:
    owner = field(function, "object")
    is_statement = parent_type(call) == "expression_statement"
    if owner is None or owner.type != "identifier":
        return _of_expression(evidence, name, function, call) if owner is not None else None
    target = field(parent_of(call), "left") if parent_type(call) == "assignment" else None
    is_same = text_of(target) == text_of(owner)
    is_value = not (is_statement or is_same)
    if is_value and any(not same(use, owner) for use in uses_of_variable(owner, evidence.source)):
        return None  # who reads the variable again finds the new value
    if not _is_alone(evidence, owner, call):
        return None
    found = _plainly(evidence, name, function, call, owner)
    return found if found is None or is_same or is_value else _assigned(found, owner, call)


def _of_expression(evidence: Evidence, name: str, function: Node, call: Node) -> Use | None:
    """What becomes of a change of something else than a variable: of a part, or of what nobody else has."""
    owner = field(function, "object") or function
    if owner.type == "subscript" and name in _SETS and parent_type(call) == "expression_statement":
        return _part_set(evidence, name, owner, call)
    is_new = _is_new(evidence, owner)
    return _plainly(evidence, name, function, call, owner) if is_new else None


def _plainly(evidence: Evidence, name: str, function: Node, call: Node, owner: Node) -> Use | None:
    """What the method of the same name that changes nothing becomes; None where it has no counterpart."""
    found = evidence.instance(owner)
    if found is None or found.class_name != "torch.Tensor":
        return None
    if name in ("fill_", "zero_"):
        return _filled(name, owner, call)
    if name == "copy_":
        return None
    api = f"{_TENSOR}{name}"
    use = use_of(evidence, api if gives_new(evidence, api) else api.removesuffix("_"), function, call, owner)
    return use._replace(api=api) if use.reason is None else None


def _filled(name: str, owner: Node, call: Node) -> Use | None:
    value = arguments_of(call).at(0)
    if name == "zero_":
        before = Edit(call.start_byte, owner.start_byte, "ops.zeros_like(")
        return changed(f"{_TENSOR}zero_", call, [before, Edit(owner.end_byte, call.end_byte, ")")], {"ops"})
    if value is None or len(arguments_of(call).items) != 1:
        return None
    before = Edit(call.start_byte, owner.start_byte, "ops.full_like(")
    between = Edit(owner.end_byte, value.value.start_byte, ", ")
    return changed(f"{_TENSOR}fill_", call, [before, between], {"ops"})


def _assigned(use: Use, owner: Node, call: Node) -> Use:
    """A use whose new text is assigned to the variable that the statement changes."""
    start, name = call.start_byte, text_of(owner)
    before = "".join(edit.text for edit in use.edits if (edit.start, edit.end) == (start, start))
    rest = [edit for edit in use.edits if (edit.start, edit.end) != (start, start)]
    return use._replace(edits=(Edit(start, owner.end_byte, f"{name} = {before}{name}"), *rest))


def _part_set(evidence: Evidence, name: str, part: Node, call: Node) -> Use | None:
    """``x[a:b].copy_(y)`` as ``x[a:b] = y``."""
    whole, value = field(part, "value"), arguments_of(call).at(0)
    found = evidence.instance(whole) if whole is not None else None
    if (
        found is None
        or found.class_name != "torch.Tensor"
        or len(arguments_of(call).items) != (name != "zero_")
    ):
        return None
    if name == "zero_":
        return changed(f"{_TENSOR}zero_", call, [Edit(part.end_byte, call.end_byte, " = 0")])
    assert value is not None
    edits = [Edit(part.end_byte, value.value.start_byte, " = ")]
    edits += [Edit(value.value.end_byte, call.end_byte, "")]
    return changed(f"{_TENSOR}{name}", call, edits)


def _is_alone(evidence: Evidence, name: Node, call: Node) -> bool:
    """Whether a variable holds, at a place, a tensor that no other name has, nor a part of it."""
    bindings = evidence.reaching(name)
    made = bool(bindings) and all(
        one.kind is BindingKind.ASSIGNMENT and one.value is not None and _is_made(evidence, one.value, name)
        for one in bindings
    )
    if not made:
        return False
    loop = next((one for one in ancestors(call) if one.type in LOOPS), None)
    end = loop.end_byte if loop is not None else call.start_byte
    return not any(
        use.start_byte < end and not same(use, name) and _may_share(evidence, use)
        for use in uses_of_variable(name, evidence.source)
        if not is_made_anew(evidence, use, name)
    )


def is_made_anew(evidence: Evidence, use: Node, place: Node) -> bool:
    """Whether a variable is certainly assigned between a use of it and a later place."""
    around = {one.id for one in ancestors(use)}
    return any(
        use.start_byte < one.node.start_byte < place.start_byte
        and one.kind is BindingKind.ASSIGNMENT
        and one.statement.type != "augmented_assignment"
        and parent_of(one.statement) is not None
        and _block_of(one.statement).id in around
        for one in evidence.source.names.bindings_in_scope(text_of(place), place)
    )


def _block_of(statement: Node) -> Node:
    """The block that a statement is a line of."""
    return next((one for one in ancestors(statement) if one.type in ("block", "module")), statement)


def _is_made(evidence: Evidence, value: Node, name: Node) -> bool:
    """Whether a value is a new tensor, or what a method in place made of the variable itself."""
    if value.type == "call" and last_name(value).endswith("_"):
        owner = called_on(value)
        if owner is not None and text_of(owner) == text_of(name):
            return True
    return _is_new(evidence, value)


def _is_new(evidence: Evidence, value: Node) -> bool:
    """Whether an expression gives a tensor that nothing else holds."""
    if value.type in ("binary_operator", "unary_operator", "comparison_operator"):
        return True
    function = field(value, "function") if value.type == "call" else None
    if function is None or last_name(value) in VIEWS:
        return False
    if legacy_type(evidence.source, function):
        return True
    resolution = evidence.source.names.qualified_name(function)
    if resolution is not None:
        return resolution.qualified_name.startswith("torch.")
    owner = field(function, "object") if function.type == "attribute" else None
    if owner is None or last_name(value) not in tensor_methods():
        return False
    if last_name(value).endswith("_"):
        return _is_new(evidence, owner)
    return evidence.is_of_kind(owner, "tensor")


def _may_share(evidence: Evidence, use: Node) -> bool:
    """Whether a use of a variable may give what it holds, or a part of it, another name."""
    parent = parent_of(use)
    if parent is None:
        return True
    if parent.type == "attribute" and is_field(use, "object"):
        name = text_of(field(parent, "attribute") or parent)
        if call_of(parent) is None:
            return name not in _READ_WITHOUT_TRACE
        return name in VIEWS or name not in tensor_methods() | {
            "item",
            "tolist",
            "numel",
            "dim",
            "size",
            "backward",
        }
    if parent.type == "subscript":
        outer = parent_of(parent)
        return outer is None or (outer.type == "assignment" and is_field(parent, "right"))
    passed = passed_to(use)
    if passed is not None:
        return not _takes_without_trace(evidence, passed.call)
    return parent.type in _GIVES_NAME


_KEEP = frozenset({"append", "extend", "insert"})


def gets_other_name(use: Node) -> bool:
    """Whether a use of a variable gives what it holds, or a part of it, another name at once."""
    node, parent = use, parent_of(use)
    while parent is not None and parent.type in ("attribute", "call", "subscript", "tuple", "list"):
        if parent.type == "attribute" and text_of(field(parent, "attribute") or parent) not in VIEWS:
            return False
        if parent.type == "call" and not is_field(node, "function"):
            return False
        node, parent = parent, parent_of(parent)
    if parent is None or parent.type == "argument_list":
        call = parent_of(parent)
        return call is not None and last_name(call) in _KEEP
    return parent.type == "assignment" and is_field(node, "right")


def _takes_without_trace(evidence: Evidence, call: Node) -> bool:
    function = field(call, "function")
    if function is None or last_name(call) in VIEWS:
        return False
    if function.type == "identifier" and text_of(function) in _BUILTINS:
        return True
    resolution = evidence.source.names.qualified_name(function)
    if resolution is not None:
        return resolution.qualified_name.startswith("torch.")
    made = evidence.instance(function)
    if made is not None and made.definition is None and made.class_name.endswith("Loss"):
        return True
    return function.type == "attribute" and last_name(call) in tensor_methods()
