"""Statements that only prepare a batch: they stay before the function of which gradients are taken."""

from __future__ import annotations

from collections.abc import Collection

from tree_sitter import Node

from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import ancestors, field, text_of

from ...evidence import Evidence
from ...values.parameters import is_parameter
from ..graphs import may_have_graph
from ..variables import assigned_in, identifiers_in

_LITERALS = ("integer", "float", "string", "true", "false", "none", "list", "tuple")


def without_data(evidence: Evidence, statements: list[Node]) -> list[Node]:
    """Statements that compute a loss, without the first ones that certainly read nothing but data.

    What is assigned again by those that are left stays with them: they go on with it.
    """
    data: set[str] = set()
    while len(statements) > 1:
        first, rest = statements[0], statements[1:]
        names = {*assigned_in([first])}
        if names & {*assigned_in(rest)} or not _is_data(evidence, first, data):
            break
        data |= names
        statements = rest
    return statements


def _is_data(evidence: Evidence, statement: Node, known: Collection[str]) -> bool:
    """Whether a statement calls no model, and reads nothing that may be one or a parameter."""
    if statement.type != "expression_statement" or may_have_graph(evidence, statement):
        return False
    assignment = statement.named_children[0]
    value = field(assignment, "right")
    if assignment.type != "assignment" or value is None:
        return False
    own = {*assigned_in([statement])}
    place = statement.id
    return all(
        text_of(one) in known or _holds_data(evidence, one, own, place) for one in identifiers_in(value)
    )


def _holds_data(evidence: Evidence, name: Node, own: Collection[str], place: int) -> bool:
    """Whether a variable certainly holds data: what a loop goes over, what other libraries made, a number.

    It may also have been computed of such by the statement at the place itself, in an earlier turn.
    """
    if evidence.names_device(name):
        return True
    if is_parameter(name):
        return False
    bindings = evidence.source.names.bindings_in_scope(text_of(name), name)
    reaching = evidence.reaching(name) if text_of(name) in own else bindings
    return all(_is_of_data(evidence, one) for one in reaching if not _is_in(one.node, place))


def _is_in(node: Node, place: int) -> bool:
    return any(one.id == place for one in ancestors(node))


def _is_of_data(evidence: Evidence, binding: Binding) -> bool:
    if binding.kind in (BindingKind.IMPORT, BindingKind.LOOP, BindingKind.DEFINITION):
        return True
    value = binding.value if binding.kind is BindingKind.ASSIGNMENT else None
    return value is not None and (value.type in _LITERALS or evidence.others.made(value))
