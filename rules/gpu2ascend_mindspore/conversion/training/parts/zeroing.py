"""What sets gradients to zero: calls of ``zero_grad``, and of a function of the file that only makes some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, enclosing, field, is_field, text_of

from ...evidence import Evidence
from ...lines import removed
from ...use import Use, changed
from ..trained import root_of, trained_by
from .calls import calls_of, receiver_of, statements_of

ZERO = "zero_grad"
_API = f"torch.optim.Optimizer.{ZERO}"


def zeroing(evidence: Evidence, statements: Sequence[Node]) -> list[Node]:
    """Those of some statements that do nothing but set gradients to zero."""
    own = {one.id for one in calls_of(statements, ZERO)}
    return [one for one in statements if one.id in own or _function_called(evidence, one) is not None]


def zeroed_before(evidence: Evidence, statement: Node) -> list[Node]:
    """The statements directly before a branch that set gradients to zero: those of a step within it."""
    block = parent_of(statement)
    branch = parent_of(block)
    if branch is None or branch.type != "if_statement" or field(branch, "alternative") is not None:
        return []
    found: list[Node] = []
    before = branch.prev_named_sibling
    while before is not None and (before.type == "comment" or zeroing(evidence, [before])):
        found += [before] if before.type != "comment" else []
        before = before.prev_named_sibling
    return found


def zeroes(evidence: Evidence, statement: Node, optimizer: Node) -> bool:
    """Whether a statement sets all gradients of an optimizer to zero: its own call, or that of its module."""
    function = _function_called(evidence, statement)
    known = (text_of(optimizer), trained_by(evidence, optimizer), root_of(evidence, optimizer))
    for one in _body(function) if function is not None else [statement]:
        receiver = receiver_of(one)
        if receiver is not None and text_of(receiver) in known and _is_same(evidence, receiver, optimizer):
            return True
    return False


def uses_of_emptied(evidence: Evidence, steps: Sequence[Node]) -> Iterator[Use]:
    """The functions of a script, another function or a class, that are gone with all their calls in steps.

    A method goes where the file itself uses its class, which has no base that may call it.
    """
    functions = {
        function.id: (function, one)
        for one in steps
        if (function := _function_called(evidence, one)) is not None
    }
    for function, call in functions.values():
        name = field(function, "name")
        others = [
            one
            for one in evidence.source.identifiers(text_of(name))
            if not any(step.start_byte <= one.start_byte < step.end_byte for step in (*steps, function))
        ]
        around = enclosing(function, "class_definition", "function_definition")
        is_script = enclosing(call, "function_definition") is None
        is_local = around is not None and (around.type == "function_definition" or _is_used(evidence, around))
        if (is_script or is_local) and not others:
            evidence.take_care_of(function)
            yield changed(_API, function, [without_blank_lines(evidence.source.data, function)])


def without_blank_lines(data: bytes, function: Node) -> Edit:
    """The edit that takes a function out, with the blank lines between it and what follows in its block."""
    edit, following = removed(data, function), function.next_named_sibling
    end = following.start_byte - following.start_point[1] if following is not None else edit.end
    is_blank = edit.start < edit.end < end and not data[edit.end : end].strip()
    return edit._replace(end=end) if is_blank else edit


def _is_used(evidence: Evidence, owner: Node) -> bool:
    """Whether a file makes objects of a class that has no base."""
    name = field(owner, "name")
    others = evidence.source.identifiers(text_of(name)) if name is not None else ()
    return field(owner, "superclasses") is None and any(is_field(one, "function") for one in others)


def _function_called(evidence: Evidence, statement: Node) -> Node | None:
    """The function without arguments that a statement calls, which does nothing but call ``zero_grad``."""
    inner = statement.named_children[0] if statement.named_children else None
    if statement.type != "expression_statement" or inner is None or inner.type != "call":
        return None
    called = field(inner, "function")
    if called is None or arguments_of(inner).items:
        return None
    function = _definition(evidence, called)
    body = _body(function)
    return function if body and len(calls_of(body, ZERO)) == len(body) else None


def _body(function: Node | None) -> list[Node]:
    """The statements of a function, without its docstring."""
    statements = statements_of(field(function, "body"))
    first = statements[0].named_children[:1] if statements else []
    return statements[1:] if first and first[0].type == "string" else statements


def _definition(evidence: Evidence, called: Node) -> Node | None:
    """The function of the file, or the method of the class around, that is called."""
    if called.type == "identifier":
        found = evidence.context.instances.classes.definition_of(called)
        return found if found is not None and found.type == "function_definition" else None
    owner = enclosing(called, "class_definition")
    if owner is None or called.type != "attribute" or text_of(field(called, "object")) != "self":
        return None
    methods = [
        one
        for name in evidence.source.identifiers(text_of(field(called, "attribute")))
        if is_field(name, "name") and (one := parent_of(name)) is not None
        if one.type == "function_definition" and enclosing(one, "class_definition") == owner
    ]
    is_only = len(methods) == 1 and parent_type(methods[0]) != "decorated_definition"
    return methods[0] if is_only else None


def _is_same(evidence: Evidence, one: Node, other: Node) -> bool:
    """Whether a name means the same at both places."""
    name = text_of(one).partition(".")[0]
    if name == "self":
        return True
    names = evidence.source.names
    return [*names.bindings_in_scope(name, one)] == [*names.bindings_in_scope(name, other)]
