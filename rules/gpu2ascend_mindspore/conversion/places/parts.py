"""Parts of tensors that are set at places which a mask or a tensor gives: ``x.view(-1)[mask] = 0``.

MindSpore sets such parts of a new tensor, to which the name changes. What shares memory with the old one (a
view, or what it is a view of) keeps its values, without an error. Parts that numbers and slices give are as
in PyTorch, and so are those of a part that was taken by an index: ``x[0][mask] = 0``. But where gradients are
taken, in the function of a step or in a module, methods give no views: ``x.view(-1)[0] = 0`` leaves x.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_type
from gpu2ascend_rules.text.syntax import (
    LOOPS,
    ancestors,
    enclosing,
    field,
    is_field,
    same,
    text_of,
    without_parentheses,
)
from gpu2ascend_rules.text.uses import uses_of_variable

from ..differentiated import is_differentiated
from ..evidence import Evidence
from ..use import Reason, Use, refused
from .in_place import VIEWS, gets_other_name, is_made_anew

_SET = "torch.Tensor.__setitem__"
_PLAIN = frozenset({"integer", "slice", "ellipsis", "none", "string", "unary_operator"})
_MAY_BE_NEW = frozenset(
    {"contiguous", "cpu", "cuda", "double", "float", "half", "int", "long", "to", "type", "type_as"}
)
"""Of what may be a view those that mostly are new tensors."""


def uses_of_parts(evidence: Evidence) -> Iterator[Use]:
    """The statements that set such a part of what shares memory with another name."""
    if not evidence.imports:
        return
    for node in nodes_in(evidence.source.root):
        target = field(node, "left") if node.type in ("assignment", "augmented_assignment") else None
        value = field(target, "value") if target is not None and target.type == "subscript" else None
        if target is None or value is None:
            continue
        by_tensor = _is_given_by_tensor(evidence, target)
        if not by_tensor and not _has_gradients(evidence, target):
            continue
        if _is_shared(evidence, without_parentheses(value), node, by_tensor=by_tensor):
            yield refused(_SET, target, Reason.PART, text_of(target))


def is_of_view(evidence: Evidence, part: Node, statement: Node) -> bool:
    """Whether a statement sets a part of what a view shows, or of a view, that is read later."""
    value = field(part, "value")
    return value is not None and _is_shared(evidence, without_parentheses(value), statement, by_tensor=False)


def _has_gradients(evidence: Evidence, node: Node) -> bool:
    """Whether gradients may be taken of a place: in a step, a module, and in what these call."""
    method = field(enclosing(node, "function_definition"), "name")
    return text_of(method) != "__init__" and is_differentiated(evidence, node)


def _is_given_by_tensor(evidence: Evidence, part: Node) -> bool:
    """Whether one of the indices is a mask, a list or a tensor."""
    for one in part.children_by_field_name("subscript"):
        index = without_parentheses(one)
        if index.type in _PLAIN:
            continue
        if index.type in ("comparison_operator", "list") or evidence.is_of_kind(index, "tensor"):
            return True
    return False


def _is_shared(evidence: Evidence, whole: Node, statement: Node, *, by_tensor: bool) -> bool:
    """Whether what is set is a view of a tensor, or has one, that the program reads later.

    Args:
        by_tensor: Whether a mask or a tensor gives the places: then parts are views, too.
    """
    if _is_view(whole):
        return evidence.is_of_kind(_base(whole), "tensor")
    if whole.type != "identifier" or not evidence.is_of_kind(whole, "tensor"):
        return False
    for binding in evidence.reaching(whole):
        value = without_parentheses(binding.value) if binding.value is not None else None
        base = _base(value) if value is not None and _is_view(value) else None
        is_tensor = base is not None and evidence.is_of_kind(base, "tensor")
        is_other = base is not None and text_of(base) != text_of(whole)
        if base is not None and is_other and is_tensor and _is_read_behind(evidence, base, statement):
            return True
    names = _names(evidence, whole)
    return any(_has_view(evidence, name, statement, by_tensor=by_tensor) for name in names)


def _names(evidence: Evidence, name: Node) -> Iterator[Node]:
    """A variable, and those that it is another name of."""
    yield name
    for binding in evidence.reaching(name):
        if binding.value is not None and binding.value.type == "identifier":
            yield binding.value


def _has_view(evidence: Evidence, name: Node, statement: Node, *, by_tensor: bool) -> bool:
    """Whether a part of a variable, or a view of it, that is read behind a statement was taken before it."""
    for use in uses_of_variable(name, evidence.source):
        if use.start_byte >= statement.start_byte or is_made_anew(evidence, use, name):
            continue
        part = _name_of_part(use, by_tensor=by_tensor)
        is_other = part is not None and text_of(part) != text_of(name)
        if part is not None and is_other and _is_read_behind(evidence, part, statement):
            return True
    return False


def _is_view(node: Node) -> bool:
    function = field(node, "function") if node.type == "call" else node
    if function is None or function.type != "attribute":
        return False
    name = text_of(field(function, "attribute") or function)
    return name in VIEWS - _MAY_BE_NEW and (node.type == "call" or name in ("T", "mT", "real", "imag"))


def _base(view: Node) -> Node:
    """What a view is taken of."""
    node = view
    while node.type in ("call", "attribute", "subscript"):
        inner = field(node, {"call": "function", "attribute": "object", "subscript": "value"}[node.type])
        if inner is None or (
            text_of(node).startswith("self.") and node.type == "attribute" and "." not in text_of(inner)
        ):
            return node
        node = inner
    return node


def _name_of_part(use: Node, *, by_tensor: bool) -> Node | None:
    """The variable that a part of what a use names, or a view of it, is given at once."""
    if not gets_other_name(use) or parent_type(use) == "assignment":
        return None
    assignment = next((one for one in ancestors(use) if one.type == "assignment"), None)
    target, value = field(assignment, "left"), field(assignment, "right")
    if not by_tensor and (value is None or not _is_view(without_parentheses(value))):
        return None
    return target if target is not None and target.type == "identifier" else None


def _is_read_behind(evidence: Evidence, name: Node, statement: Node) -> bool:
    """Whether a variable is read after a statement; of anything but a variable that is not known."""
    if name.type != "identifier":
        return True
    loop = next((one for one in ancestors(statement) if one.type in LOOPS), None)
    uses = [one for one in uses_of_variable(name, evidence.source) if not same(one, name)]
    return any(
        one.start_byte >= statement.end_byte
        or (loop is not None and loop.start_byte <= one.start_byte and not _is_made_in(evidence, one, loop))
        for one in uses
        if not (is_field(one, "left") and parent_type(one) == "assignment")
    )


def _is_made_in(evidence: Evidence, use: Node, loop: Node) -> bool:
    """Whether each turn of a loop gives a variable, before a use of it, what something just computed."""
    around = {one.id for one in ancestors(use)}
    return any(
        loop.start_byte < one.node.start_byte < use.start_byte
        and one.value is not None
        and one.statement.type == "assignment"
        and _computes(without_parentheses(one.value))
        and next((each.id for each in ancestors(one.statement) if each.type == "block"), -1) in around
        for one in evidence.source.names.bindings_in_scope(text_of(use), use)
    )


def _computes(value: Node) -> bool:
    """Whether an expression gives what no other name has, most likely: a call of no view, or a result."""
    function = field(value, "function") if value.type == "call" else None
    name = text_of(function).rpartition(".")[2]
    return value.type == "binary_operator" or (function is not None and name not in VIEWS)
