"""Whether statements mean the same in a function of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.syntax import ancestors, field, last_name, text_of

from ...evidence import Evidence
from ...lines import has_line_string, unwrapped
from ...places.parts import is_of_view
from ..constant.detached import is_gradient_free
from ..variables import assigned_in, bound_before, identifiers_in

_LEAVES = ("break_statement", "continue_statement", "return_statement", "yield", "await", "named_expression")
_COMPOUND = ("if_statement", "for_statement")
_DEFINES = ("lambda", "function_definition", "class_definition")
_PLAIN_REGIONS = frozenset({"contextlib.nullcontext"})


def may_move(evidence: Evidence, statement: Node, new: Collection[str] = ()) -> bool:
    """Whether a statement may become one of a function: it leaves nothing, and assigns only variables.

    It may also write into tensors that statements beside it have made, and set attributes of ``self``.

    Args:
        new: The variables that hold such tensors.
    """
    if statement.type not in ("expression_statement", *_COMPOUND) and not _is_region(evidence, statement):
        return False
    if has_line_string(statement):
        return False
    for node in nodes_in(statement):
        if node.type in _LEAVES or node.type in ("try_statement", "while_statement", "delete_statement"):
            return False
        if node.type == "with_statement" and not _is_region(evidence, node):
            return False
        if node.type in ("assignment", "augmented_assignment", "for_statement") and (
            _writes_into(evidence, node, new)
        ):
            return False
        if node.type in _DEFINES[1:]:
            return False
    return True


def _is_region(evidence: Evidence, statement: Node) -> bool:
    return is_plain_region(evidence, statement) or is_gradient_free(evidence, statement)


def _writes_into(evidence: Evidence, assignment: Node, new: Collection[str]) -> bool:
    """Whether an assignment is to anything but variables, attributes of ``self`` and new tensors.

    In a function that gradients are taken of, a view shares nothing with what it is a view of.
    """
    target = field(assignment, "left")
    if target is None:
        return False
    parts = [target, *(target.named_children if "pattern" in target.type else ())]
    set_parts = [one for one in parts if one.type in ("attribute", "subscript")]
    return any(
        not _is_own(one, new) or (one.type == "subscript" and is_of_view(evidence, one, assignment))
        for one in set_parts
    )


def are_written(statements: Sequence[Node], names: Collection[str]) -> bool:
    """Whether statements may write into what variables hold, or into what is computed of it: ``y[0] = 0``."""
    held = set(names)
    for one in statements:
        if held.intersection(text_of(name) for name in identifiers_in(one)):
            held.update(assigned_in([one]))
    return any(text_of(_written(node)) in held for one in statements for node in nodes_in(one))


def _written(node: Node) -> Node | None:
    """The variable of which a node writes into a part, or changes in place: ``x[0].fill_(1)``."""
    target = field(node, "left") if node.type in ("assignment", "augmented_assignment") else None
    function = field(node, "function") if node.type == "call" else None
    if function is not None and function.type == "attribute" and last_name(node).endswith("_"):
        target = field(function, "object")
    elif target is None or target.type != "subscript":
        return None
    while target is not None and target.type != "identifier":
        target = target.named_children[0] if target.named_children else None
    return target


def _is_own(target: Node, new: Collection[str]) -> bool:
    if target.type == "attribute":
        owner = field(target, "object")
        return text_of(owner) == "self"
    value = field(target, "value")
    return value is not None and text_of(value) in new


def regions_without_effect(evidence: Evidence, statements: Sequence[Node]) -> list[Node]:
    """The ``with`` statements among others that do nothing, and of which the body can stand alone."""
    data = evidence.source.data
    return [
        one
        for one in statements
        if is_plain_region(evidence, one)
        and (body := field(one, "body")) is not None
        and unwrapped(data, one, body) is not None
    ]


def is_plain_region(evidence: Evidence, statement: Node) -> bool:
    """Whether a ``with`` statement does nothing: ``ctx = nullcontext()``."""
    clause = next((one for one in statement.named_children if one.type == "with_clause"), None)
    if statement.type != "with_statement" or clause is None or len(clause.named_children) != 1:
        return False
    value = clause.named_children[0].named_children[0]
    values: list[Node | None] = [value]
    if value.type == "identifier":
        values = [one.value for one in evidence.source.names.bindings_in_scope(text_of(value), value)]
    return bool(values) and all(one is not None and _is_plain(evidence, one) for one in values)


def _is_plain(evidence: Evidence, value: Node) -> bool:
    return evidence.source.names.called_in(value) in _PLAIN_REGIONS


def sometimes_assigned(evidence: Evidence, statements: Sequence[Node]) -> list[str] | None:
    """The variables that only some ways through statements assign, so that they must come from before.

    None where one of them has no value before, and more than the branch that gives it one reads it.
    """
    always: set[str] = set()
    found: dict[str, None] = {}
    for statement in statements:
        names = assigned_in([statement])
        always |= _always_assigned(statement)
        for name in names:
            if name in always:
                continue
            if bound_before(evidence.source, name, statements[0]):
                found[name] = None
            elif _is_read_elsewhere(evidence, name, statement):
                return None
    return list(found)


def _always_assigned(statement: Node) -> set[str]:
    """The variables that every way through a statement assigns."""
    if statement.type == "block":
        return {name for one in statement.named_children for name in _always_assigned(one)}
    if statement.type == "with_statement":
        body = field(statement, "body")
        return _always_assigned(body) if body is not None else set()
    if statement.type != "if_statement":
        return set() if statement.type == "for_statement" else set(assigned_in([statement]))
    clauses = [one for one in statement.named_children if one.type in ("elif_clause", "else_clause")]
    if not clauses or clauses[-1].type != "else_clause":
        return set()
    return set.intersection(*map(_assigned_by_arm, (statement, *clauses)))


def _assigned_by_arm(choice: Node) -> set[str]:
    block = field(choice, "consequence") or field(choice, "body")
    return _always_assigned(block) if block is not None else set()


def _is_read_elsewhere(evidence: Evidence, name: str, statement: Node) -> bool:
    """Whether a variable that a statement assigns is read in the function, but not in the statement."""
    scope = next((one for one in ancestors(statement) if one.type in (*_DEFINES, "module")), None)
    start, end = statement.start_byte, statement.end_byte
    return scope is None or any(
        any(
            start <= given.node.start_byte < end
            for given in evidence.source.names.bindings_in_scope(name, one)
        )
        for one in identifiers_in(scope)
        if text_of(one) == name and not start <= one.start_byte < end
    )
