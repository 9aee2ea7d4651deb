"""Updates in place: ``x += y`` changes a tensor in PyTorch, and gives the name a new one in MindSpore."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.inference.kinds import Kind
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import (
    LOOPS,
    ancestors,
    enclosing,
    field,
    is_field,
    last_name,
    passed_to,
    text_of,
    without_parentheses,
)
from gpu2ascend_rules.text.uses import uses_of_variable

from ..evidence import Evidence
from ..places.in_place import gets_other_name, is_made_anew
from ..use import Reason, Use, refused
from ..values.callers import given_by_callers

UPDATE = "torch.Tensor.__iadd__"
_SHARED = frozenset({"identifier", "attribute", "subscript"})
_PLAIN = frozenset({Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.NONE, Kind.OTHER})


def uses_of_updates(evidence: Evidence) -> Iterator[Use]:
    """The updates of what may be known by another name as well: that one would keep the old value."""
    if b"=" not in evidence.source.data or not evidence.imports:
        return
    for node in nodes_in(evidence.source.root):
        if node.type == "augmented_assignment":
            target = field(node, "left")
            if target is not None and target.type == "identifier" and _may_be_shared(evidence, target):
                yield refused(UPDATE, node, Reason.UPDATE, text_of(target))


def new_tensors(evidence: Evidence, statements: Sequence[Node]) -> set[str]:
    """The variables to which statements give tensors, and nothing else: what writes into them may move along.

    A graph is compiled once: there they must have just been made.
    """
    found: dict[str, bool] = {}
    for statement in statements:
        assignment = statement.named_children[0] if statement.named_children else statement
        target = field(assignment, "left") if assignment.type == "assignment" else None
        value = field(assignment, "right") if target is not None else None
        if target is None or value is None:
            continue
        for name, given in _pairs(target, value):
            found[name] = found.get(name, True) and _is_new(evidence, given)
    return {name for name, is_new in found.items() if is_new}


def _pairs(target: Node, value: Node) -> list[tuple[str, Node]]:
    """The variables that an assignment gives a value of their own, with the values: ``x, y = a, b``."""
    if target.type == "identifier":
        return [(text_of(target), value)]
    names, values = target.named_children, value.named_children
    is_each = target.type == "pattern_list" and value.type == "expression_list" and len(names) == len(values)
    pairs = zip(names, values, strict=False) if is_each else ()
    return [(text_of(name), one) for name, one in pairs if name.type == "identifier"]


def _is_new(evidence: Evidence, value: Node) -> bool:
    """Whether a value is a tensor: for a graph one that a function of torch has just made."""
    is_made = evidence.source.names.called_in(value) in _MAKERS
    return is_made or (not evidence.context.options.graph and evidence.is_of_kind(value, "tensor"))


_MAKERS = frozenset(
    f"torch.{name}" for name in ("full", "zeros", "ones", "empty", "rand", "randn", "full_like")
)


def _may_be_shared(evidence: Evidence, target: Node) -> bool:
    """Whether a variable may hold a tensor that has another name: a parameter, or ``y = x``."""
    if evidence.context.types.kind(target) in _PLAIN:
        return False
    if _has_other_name(evidence, target):
        return True
    if not evidence.is_ever_bound(target, _may_share):
        return False
    if _is_number(evidence, target):
        return False
    for binding in evidence.reaching(target, but=target.start_byte):
        if binding.kind is BindingKind.PARAMETER:
            if enclosing(target, "class_definition") is not None or evidence.instance(target) is not None:
                return True
        elif _may_share(binding) and not _is_plain(evidence, binding.value):
            return True
    return False


def _is_plain(evidence: Evidence, value: Node | None) -> bool:
    """Whether a value is a number, a text or an object: ``y = x`` behind ``x = int(z)``."""
    return value is not None and evidence.context.types.kind(value) in _PLAIN


_ONLY_NUMBERS = frozenset({"range", "round"})
_WHOLE = frozenset({"//=", "%=", "<<=", ">>="})


def _is_number(evidence: Evidence, target: Node) -> bool:
    """Whether a variable is a number or a text by what it is given by default, or by what is done with it."""
    right = field(parent_of(target), "right")
    bindings = evidence.source.names.bindings_in_scope(text_of(target), target)
    defaults = [one.value for one in bindings if one.kind is BindingKind.PARAMETER and one.value is not None]
    if any(one.type in _PLAIN_LITERALS for one in defaults) or (right is not None and right.type == "string"):
        return True
    if evidence.instance(target) is not None:
        return False
    uses = tuple(uses_of_variable(target, evidence.source))
    if _counts_whole(parent_of(target), uses) or any(_is_use_of_number(evidence, one) for one in uses):
        return True
    return _is_number_of_callers(evidence, bindings)


def _counts_whole(update: Node | None, uses: Sequence[Node]) -> bool:
    """Whether an update is by a whole number, of what only numbers are: ``x //= 2``, or a loop's counter."""
    operator, right = field(update, "operator"), field(update, "right")
    if operator is None or right is None or right.type != "integer":
        return False
    return text_of(operator) in _WHOLE or any(map(_counts, uses))


def _is_number_of_callers(evidence: Evidence, bindings: Sequence[Binding]) -> bool:
    """Whether a parameter gets a number from every call of its function."""
    parameters = [one for one in bindings if one.kind is BindingKind.PARAMETER]
    given = [value for one in parameters for value in given_by_callers(evidence.source, one)]
    return bool(given) and all(_gives_number(evidence, one) for one in given)


def _gives_number(evidence: Evidence, value: Node) -> bool:
    """Whether an argument is a number: by itself, or by what its function does with it elsewhere."""
    if _is_plain(evidence, value):
        return True
    uses = uses_of_variable(value, evidence.source) if value.type == "identifier" else ()
    return any(_is_use_of_number(evidence, one) for one in uses)


_PLAIN_LITERALS = frozenset({"integer", "float", "string", "unary_operator"})


def _is_use_of_number(evidence: Evidence, use: Node) -> bool:
    """``range(x)``, ``x % 2 == 1``, ``[0] * x``, ``nn.Linear(x, 3)``."""
    passed = passed_to(use)
    if passed is not None:
        return last_name(passed.call) in _ONLY_NUMBERS or _is_size_of_layer(evidence, passed.call)
    parent = parent_of(use)
    operator = field(parent, "operator")
    if parent is None or parent.type != "binary_operator" or operator is None:
        return False
    if text_of(operator) == "%" and is_field(use, "left"):
        right = field(parent, "right")
        return right is not None and right.type == "integer"
    left = field(parent, "left")
    return text_of(operator) == "*" and left is not None and left.type == "list"


def _is_size_of_layer(evidence: Evidence, call: Node) -> bool:
    """Whether a call makes a layer of torch, whose arguments are sizes and options."""
    function = field(call, "function")
    found = evidence.source.names.qualified_name(function) if function is not None else None
    return found is not None and _LAYER.fullmatch(found.qualified_name) is not None


_LAYER = re.compile(r"torch\.nn\.(?:Linear|Embedding|(?:Lazy)?Conv\w+|BatchNorm\dd|GRU|LSTM|RNN)")


def _has_other_name(evidence: Evidence, target: Node) -> bool:
    """Whether a tensor, or a part of it, was given another name before it is updated: ``y = x``."""
    loop = next((one for one in ancestors(target) if one.type in LOOPS), None)
    end = loop.end_byte if loop is not None else target.start_byte
    named = any(
        use.start_byte < end and gets_other_name(use) and not is_made_anew(evidence, use, target)
        for use in uses_of_variable(target, evidence.source)
    )
    return named and evidence.is_of_kind(target, "tensor")


def _may_share(binding: Binding) -> bool:
    """Whether a binding may give a variable what has another name as well."""
    if binding.kind is BindingKind.PARAMETER:
        return True
    return binding.value is not None and without_parentheses(binding.value).type in _SHARED


def _counts(use: Node) -> bool:
    """Whether a variable is what a loop counts: ``while repeat:``, ``while repeat - 1:``."""
    node, parent = use, parent_of(use)
    while parent is not None and parent.type in ("binary_operator", "comparison_operator"):
        node, parent = parent, parent_of(parent)
    return parent is not None and parent.type == "while_statement" and is_field(node, "condition")
