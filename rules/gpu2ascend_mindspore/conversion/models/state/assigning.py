"""Parameters that are changed in place, as averages of others are: ``p.data.mul_(d).add_(q, alpha=1 - d)``.

``ops.assign`` changes the parameter itself. The methods in place of MindSpore change nothing on the CPU, and
an assignment of ``data`` nothing at all, both without an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    Argument,
    Arguments,
    arguments_of,
    call_of,
    called_on,
    enclosing,
    enclosing_statement,
    field,
    is_field,
    last_name,
    text_of,
)

from ....correspondences.rendering import Piece, Slot
from ...differentiated import is_differentiated
from ...evidence import Evidence
from ...use import Reason, Use, changed, refused, written
from ...values.parameters import is_parameter
from ..attributes import name_of
from ..layers import ATTRIBUTES, Layers

_OPERATORS = {"mul_": "*", "add_": "+", "sub_": "-", "div_": "/", "multiply_": "*", "subtract_": "-"}
_ASSIGNMENTS = ("assignment", "augmented_assignment")
_PLAIN_METHODS = {"clamp_": "clamp", "clip_": "clamp"}
"""Methods with the same arguments there that give a new tensor."""
_METHODS = (*_OPERATORS, *_PLAIN_METHODS, "copy_", "lerp_")
_UPDATES = {"+=": "+", "-=": "-", "*=": "*", "/=": "/"}
_SIMPLE = frozenset(
    {"identifier", "attribute", "call", "integer", "float", "subscript", "parenthesized_expression"}
)


_PLAIN = frozenset({"integer", "slice", "ellipsis", "unary_operator", "subscript", "identifier", "attribute"})
"""Indices, but for those that are certainly lists or masks."""
_KEEP = frozenset(
    {
        "argument_list", "assignment", "dictionary_comprehension", "expression_list", "keyword_argument",
        "list", "list_comprehension", "pair", "return_statement", "tuple",
    }
)  # fmt: skip
"""What an expression stands in whose value something keeps."""


class _Change(NamedTuple):
    """A parameter, and the calls of methods that change it, in order."""

    parameter: Node
    calls: tuple[Node, ...]


def uses_of_assignments(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each statement that changes a parameter in place."""
    done: set[int] = set()
    for ref in scan_members(evidence.source, [*_METHODS, "data"]):
        statement = enclosing_statement(ref.node)
        if statement.id in done or evidence.is_taken_care_of(ref.node):
            continue
        use = _written(evidence, statement)
        if use is not None:
            done.add(statement.id)
            yield use
    yield from _updates(evidence, done)
    yield from _kept(evidence)


def _kept(evidence: Evidence) -> Iterator[Use]:
    """The data of parameters that are kept while other data takes its place: ``backup[name] = p.data``."""
    if not any(_is_set_anew(one) for one in evidence.source.identifiers("data")):
        return
    for ref in scan_members(evidence.source, ["data", "detach"]):
        node = ref.node if ref.name == "data" else call_of(ref.node)
        if node is None or evidence.is_taken_care_of(node) or not is_parameter(ref.receiver):
            continue
        holder, statement = parent_of(node), enclosing_statement(node)
        if holder is None or holder.type not in _KEEP or is_field(node, "left") or _is_copied(holder):
            continue
        if (inner := statement.named_children[:1]) and _owner_of_data(inner[0]) is not None:
            yield refused(f"torch.Tensor.{ref.name}", node, Reason.UPDATE, text_of(ref.receiver))
            continue
        pieces: list[Piece] = ["ops.stop_gradient(", Slot(ref.receiver), ").copy()"]
        evidence.take_care_of(node, but=ref.receiver)
        yield written(f"torch.Tensor.{ref.name}", node, pieces, {"ops"})


def _is_copied(arguments: Node) -> bool:
    """Whether a method in place takes what it is given: ``p.data.copy_(q.data)``."""
    call = parent_of(arguments)
    return call is not None and call.type == "call" and last_name(call).endswith("_")


def _is_set_anew(name: Node) -> bool:
    """Whether it is the data of a parameter that an assignment sets."""
    attribute = parent_of(name)
    assignment = parent_of(attribute)
    if assignment is None or assignment.type != "assignment":
        return False
    owner = _owner_of_data(assignment) if attribute is not None and is_field(attribute, "left") else None
    return owner is not None and is_parameter(owner)


def _written(evidence: Evidence, statement: Node) -> Use | None:
    inner = statement.named_children[0] if statement.type == "expression_statement" else None
    if inner is None or len(statement.named_children) != 1:
        return None
    if inner.type == "call":
        change = _change(inner)
        return _by_methods(evidence, statement, change) if change is not None else None
    owner = _owner_of_data(inner)
    if owner is None:
        return _of_part(evidence, inner)
    if is_parameter(owner):
        return _by_value(evidence, statement, inner, owner)
    value = field(inner, "right")
    weight = _weight(evidence, owner)
    if weight is not None and inner.type == "assignment" and value is not None:
        return _weight_set(evidence, statement, weight, value)
    is_one = evidence.is_of_kind(owner, "tensor") or (
        value is not None and evidence.instance(owner) is None and evidence.is_of_kind(value, "tensor")
    )
    return refused("torch.Tensor.data", statement, Reason.UPDATE, text_of(owner)) if is_one else None


def _of_part(evidence: Evidence, assignment: Node) -> Use | None:
    """``self.table.data[0, :] = value``: a part of a parameter is set in place there, too.

    Where gradients are taken it is not known.
    """
    target = field(assignment, "left") if assignment.type in _ASSIGNMENTS else None
    data = field(target, "value") if target is not None and target.type == "subscript" else None
    owner = field(data, "object") if text_of(field(data, "attribute")) == "data" else None
    if target is None or data is None or owner is None:
        return None
    if any(one.type not in _PLAIN for one in target.children_by_field_name("subscript")):
        return None
    weight = _weight(evidence, owner)
    method = field(enclosing(assignment, "function_definition"), "name")
    is_made = text_of(method) == "__init__" or not is_differentiated(evidence, assignment)
    if not is_made or (weight is None and not _is_parameter(evidence, owner)):
        return None
    evidence.take_care_of(data)
    text = weight if weight is not None else text_of(owner)
    return changed("torch.Tensor.data", assignment, [Edit(data.start_byte, data.end_byte, text)])


def _is_parameter(evidence: Evidence, owner: Node) -> bool:
    found = evidence.instance(owner)
    return is_parameter(owner) or (found is not None and found.class_name == "torch.nn.Parameter")


def _weight(evidence: Evidence, owner: Node) -> str | None:
    """The text of a weight of a layer there; None for anything else."""
    name = field(owner, "attribute") if owner.type == "attribute" else None
    layer = field(owner, "object")
    if name is None or layer is None or text_of(name) not in ATTRIBUTES:
        return None
    new = name_of(evidence, Layers(evidence), owner)
    return f"{text_of(layer)}.{new}" if new is not None else None


def _weight_set(evidence: Evidence, statement: Node, weight: str, value: Node) -> Use:
    return _put(evidence, statement, "torch.Tensor.data", [f"ops.assign({weight}, "], [Slot(value)])


def _put(evidence: Evidence, statement: Node, api: str, head: list[Piece], value: list[Piece]) -> Use:
    """A statement with another in its place, in which what stays of the value is converted by itself."""
    use = written(api, statement, [*head, *value, ")"], {"ops"})
    if use.reason is None:
        evidence.take_care_of(statement)
        for one in value:
            if isinstance(one, Slot):
                evidence.take_care_of(statement, but=one.node)
    return use


def _owner_of_data(assignment: Node) -> Node | None:
    """The tensor whose ``data`` an assignment sets; ``self.data`` is an attribute like any other."""
    target = field(assignment, "left") if assignment.type in _ASSIGNMENTS else None
    if target is None or target.type != "attribute" or not text_of(target).endswith(".data"):
        return None
    owner = field(target, "object")
    return owner if text_of(owner) != "self" else None


def _updates(evidence: Evidence, done: set[int]) -> Iterator[Use]:
    """``p -= lr * p.grad``, where a loop goes over parameters."""
    if b"parameters" not in evidence.source.data:
        return
    for node in nodes_in(evidence.source.root):
        target = field(node, "left") if node.type == "augmented_assignment" else None
        statement = parent_of(node)
        if target is None or statement is None or statement.id in done or not is_parameter(target):
            continue
        yield _by_value(evidence, statement, node, target)


def _change(call: Node) -> _Change | None:
    calls: list[Node] = []
    at: Node | None = call
    while at is not None and at.type == "call" and last_name(at) in _METHODS:
        calls.insert(0, at)
        at = called_on(at)
    parameter = _without_data(at)
    if not calls or parameter is None or not is_parameter(parameter):
        return None
    return _Change(parameter, tuple(calls))


def _without_data(node: Node | None) -> Node | None:
    """The tensor in ``p.data`` and ``p.detach()``."""
    if node is not None and node.type == "call" and last_name(node) == "detach":
        function = field(node, "function")
        return field(function, "object")
    if node is not None and node.type == "attribute" and text_of(node).endswith(".data"):
        return field(node, "object")
    return node


def _by_methods(evidence: Evidence, statement: Node, change: _Change) -> Use:
    name = text_of(change.parameter)
    api = f"torch.Tensor.{last_name(change.calls[0])}"
    pieces: list[Piece] = [name]
    for index, call in enumerate(change.calls):
        behind = _behind(call, pieces, name, is_first=index == 0)
        if behind is None:
            return refused(api, statement, Reason.ARGUMENTS)
        pieces = behind
    return _assigned(evidence, statement, change.parameter, api, pieces)


def _behind(call: Node, value: list[Piece], name: str, *, is_first: bool) -> list[Piece] | None:
    """The value of a parameter behind one more call; None for arguments of another form."""
    method, arguments = last_name(call), arguments_of(call)
    if method in _PLAIN_METHODS:
        return _by_method(_PLAIN_METHODS[method], arguments, value if is_first else ["(", *value, ")"])
    given = [one.value for one in arguments.items if one.keyword is None]
    alpha = arguments.keyword("alpha")
    known = len(given) + (alpha is not None)
    if arguments.unpacked or known != len(arguments.items):
        return None
    if method == "copy_":
        return [Slot(given[0])] if len(given) == known == 1 else None
    if method == "lerp_":
        if len(given) != 2 or known != 2 or not is_first:
            return None
        return [f"{name} + (", *_operand(given[0]), f" - {name}) * ", *_operand(given[1])]
    return _computed(_OPERATORS[method], value, given, alpha, is_first=is_first)


def _by_method(method: str, arguments: Arguments, value: list[Piece]) -> list[Piece] | None:
    """What a method gives that takes the same arguments there."""
    parts = [(f"{one.keyword}=" if one.keyword else "", Slot(one.value)) for one in arguments.items]
    inner = [piece for index, part in enumerate(parts) for piece in (", " * bool(index), *part)]
    return [*value, f".{method}(", *inner, ")"] if not arguments.unpacked else None


def _computed(
    operator: str, value: list[Piece], given: list[Node], alpha: Argument | None, *, is_first: bool
) -> list[Piece] | None:
    """``add_(b)``, ``add_(b, alpha=a)`` and ``add_(a, b)``."""
    before = value if is_first or operator in "+-" else ["(", *value, ")"]
    if len(given) == 1:
        factor: list[Piece] = [" * ", *_operand(alpha.value)] if alpha is not None else []
        return [*before, f" {operator} ", *_operand(given[0]), *factor]
    if len(given) == 2 and operator in "+-" and alpha is None:
        return [*before, f" {operator} ", *_operand(given[0]), " * ", *_operand(given[1])]
    return None


def _operand(node: Node) -> list[Piece]:
    return [Slot(node)] if node.type in _SIMPLE else ["(", Slot(node), ")"]


def _by_value(evidence: Evidence, statement: Node, assignment: Node, parameter: Node) -> Use:
    """``p.data = value`` and ``p -= value``."""
    value, operator = field(assignment, "right"), field(assignment, "operator")
    api = "torch.Tensor.data"
    if value is None or (operator is not None and text_of(operator) not in _UPDATES):
        return refused(api, statement, Reason.UPDATE, text_of(parameter))
    pieces: list[Piece] = [Slot(value)]
    if operator is not None:
        pieces = [f"{text_of(parameter)} {_UPDATES[text_of(operator)]} ", *_operand(value)]
    return _assigned(evidence, statement, parameter, api, pieces)


def _assigned(evidence: Evidence, statement: Node, parameter: Node, api: str, value: list[Piece]) -> Use:
    return _put(evidence, statement, api, ["ops.assign(", Slot(parameter), ", "], value)
