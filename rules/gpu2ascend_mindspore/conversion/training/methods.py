"""Steps whose losses methods compute that end in ``backward``: ``self.backward_G()`` before ``step``.

Such a method gives its loss, and the method that calls it before an update takes the gradients. What a third
method has computed before, ``self.forward()``, is part of the first step whose weights it uses; where another
update stands between, ``vjp`` keeps the way back to the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.syntax import arguments_of, enclosing, field, is_assigned, last_name, same, text_of

from ..evidence import Evidence
from .constant.detached import reads_graph
from .graphs import may_have_graph
from .identities import Identity, identity
from .parts.calls import calls_of, is_within, statements_of
from .parts.losses import Loss, loss_of
from .variables import attributes_assigned_in

_MOST = 8
"""How many methods that call each other are looked into."""


class Ending(NamedTuple):
    """A method that ends in ``backward``, or in a call of another that does."""

    function: Node
    last: Node
    """The statement of ``backward``, or of the call."""
    loss: Node | None
    """What it gives: the loss, or the variable of the call's result; None where that has no name."""
    is_returned: bool

    @property
    def is_backward(self) -> bool:
        """Whether it takes gradients itself."""
        return _loss_at(self.function, self.last) is not None


def endings_of(evidence: Evidence, statement: Node) -> list[Ending]:
    """The methods that a statement leads to ``backward`` by, the last with it; none where it does not."""
    found: list[Ending] = []
    function = method_called(evidence, statement)
    while function is not None and len(found) < _MOST:
        ending = ending_of(function)
        if ending is None:
            return []
        found.append(ending)
        if ending.is_backward:
            return found
        function = method_called(evidence, ending.last)
    return []


def ending_of(function: Node) -> Ending | None:
    """What a method ends in, where that may be ``backward`` or a call of another method."""
    statements = statements_of(field(function, "body"))
    is_returned = bool(statements) and statements[-1].type == "return_statement"
    last = statements[-1 - is_returned] if len(statements) > is_returned else None
    if last is None or not _is_straight(function, is_returned):
        return None
    loss = _loss_at(function, last)
    own = call_in(last)
    if own is None or (loss is None and not _is_own_method(own)):
        return None
    value = loss.expression if loss is not None else field(last.named_children[0], "left")
    given = text_of(statements[-1]).removeprefix("return").strip() if is_returned else text_of(value)
    return Ending(function, last, value, is_returned) if given == text_of(value) else None


def _is_straight(function: Node, is_returned: bool) -> bool:
    """Whether a method is left at its end alone, as it stands."""
    leaves = sum(one.type in ("return_statement", "yield") for one in nodes_in(function))
    return leaves == is_returned and parent_type(function) != "decorated_definition"


def _loss_at(function: Node, last: Node) -> Loss | None:
    """The loss of the only ``backward`` of a method, in its last statement, that nothing scales."""
    every = [one for one in nodes_in(function) if one.type == "call" and last_name(one) == "backward"]
    loss = loss_of(last) if len(every) == 1 and calls_of([last], "backward") else None
    return loss if loss is not None and not loss.scaler and not _is_own_method(every[0]) else None


def call_in(statement: Node) -> Node | None:
    """The call that a statement is, or whose result it keeps under one name."""
    inner = statement.named_children[0] if statement.type == "expression_statement" else None
    if inner is not None and inner.type == "assignment":
        target = field(inner, "left")
        is_one = target is not None and target.type in ("identifier", "attribute")
        inner = field(inner, "right") if is_one else None
    return inner if inner is not None and inner.type == "call" else None


def method_called(evidence: Evidence, statement: Node) -> Node | None:
    """The method of the same class that a statement calls, and does nothing else."""
    call, owner = call_in(statement), enclosing(statement, "class_definition")
    if call is None or owner is None or not _is_own_method(call):
        return None
    found = evidence.context.instances.classes.method(owner, last_name(call))
    return found if found is not None and same(enclosing(found, "class_definition"), owner) else None


def _is_own_method(call: Node | None) -> bool:
    return text_of(field(field(call, "function"), "object")) == "self"


def updating(evidence: Evidence, backward: Node) -> Node | None:
    """The method that updates with the gradients of a ``backward`` at the end of another."""
    function = enclosing(backward, "function_definition")
    for _ in range(_MOST):
        ending = ending_of(function) if function is not None else None
        if function is None or ending is None:
            return function
        calls = [one for one in _uses(evidence, function) if _is_own_method(parent_of(parent_of(one)))]
        function = enclosing(calls[0], "function_definition") if calls else None
    return None


def _uses(evidence: Evidence, function: Node) -> list[Node]:
    """Where a method is named, but for its definition; of ``backward``, which a tensor has, by ``self``."""
    name = field(function, "name")
    every = [one for one in evidence.source.identifiers(text_of(name)) if not same(one, name)]
    is_of_tensors = text_of(name) == "backward"
    return [one for one in every if not is_of_tensors or _is_own_method(parent_of(parent_of(one)))]


def are_only_called(evidence: Evidence, endings: Sequence[Ending], calls: Sequence[Node]) -> bool:
    """Whether methods are called by some statements and by each other, and used nowhere else."""
    known = [*calls, *(one.last for one in endings)]
    return all(is_within(use, known) for one in endings for use in _uses(evidence, one.function))


def reached_by(evidence: Evidence, statements: Sequence[Node]) -> list[Node]:
    """The methods of the class that statements call, and those that these call."""
    found: dict[int, Node] = {}
    pending = [*statements]
    while pending:
        for call in (one for one in nodes_in(pending.pop()) if one.type == "call" and _is_own_method(one)):
            owner = enclosing(call, "class_definition")
            method = evidence.context.instances.classes.method(owner, last_name(call)) if owner else None
            if method is not None and method.id not in found:
                found[method.id] = method
                pending.append(method)
    return list(found.values())


def are_overridden(evidence: Evidence, functions: Sequence[Node]) -> bool:
    """Whether a class of the file that derives from that of methods has others in their place."""
    names = {one.id: field(one, "name") for one in functions}
    owners = [one for function in functions if (one := enclosing(function, "class_definition")) is not None]
    others = [
        enclosing(use, "class_definition")
        for name in names.values()
        for use in evidence.source.identifiers(text_of(name))
        if parent_type(use) == "function_definition" and not same(use, name)
    ]
    return any(_derives(evidence, other, owner) for other in others for owner in owners)


def _derives(evidence: Evidence, other: Node | None, owner: Node, depth: int = _MOST) -> bool:
    bases = field(other, "superclasses")
    known = [
        evidence.context.instances.classes.definition_of(one)
        for one in (bases.named_children if bases is not None and depth else ())
    ]
    return any(same(one, owner) or _derives(evidence, one, owner, depth - 1) for one in known)


def uses_any(evidence: Evidence, nodes: Sequence[Node], models: set[Identity]) -> bool:
    """Whether code may use one of some models: it names one, or gives the object that holds them away."""
    every = [one for node in nodes for one in nodes_in(node)]
    is_given = any(
        one.type == "identifier"
        and text_of(one) == "self"
        and parent_type(one) not in ("attribute", "parameters", "typed_parameter")
        for one in every
    )
    named = (one for one in every if one.type in ("attribute", "identifier"))
    return is_given or any(identity(evidence, one) in models for one in named)


def attributes_read(evidence: Evidence, nodes: Sequence[Node]) -> set[str]:
    """The attributes of ``self`` that code reads, as texts, but not for their numbers alone."""
    every = (one for node in nodes for one in nodes_in(node) if one.type == "attribute")
    own = (one for one in every if text_of(field(one, "object")) == "self" and not is_assigned(one))
    return {text_of(one) for one in own if reads_graph(evidence, one)}


def always_assigned(functions: Sequence[Node]) -> set[str]:
    """The attributes that methods give a value in any case."""
    bodies = [one for function in functions for one in statements_of(field(function, "body"))]
    plain = [one for one in bodies if one.type == "expression_statement"]
    return {name for one in plain for name in attributes_assigned_in(one)}


def others_assigning(
    evidence: Evidence, names: set[str], models: set[Identity], known: Sequence[Node]
) -> bool:
    """Whether code outside some methods may give an attribute what models have computed with a graph."""
    ids = {one.id for one in known}
    for name in names:
        for use in evidence.source.identifiers(name.removeprefix("self.")):
            target, around = parent_of(use), enclosing(use, "function_definition")
            if target is None or target.type != "attribute" or not is_assigned(target):
                continue
            if text_of(target) != name:
                if may_have_graph(evidence, enclosing(target, "expression_statement") or target):
                    return True
                continue
            is_known = around is not None and (
                around.id in ids or text_of(field(around, "name")) == "__init__"
            )
            if not is_known and (around is None or _may_use(evidence, around, models)):
                return True
    return False


def _may_use(evidence: Evidence, function: Node, models: set[Identity]) -> bool:
    body = field(function, "body") or function
    return uses_any(evidence, [body, *reached_by(evidence, [body])], models)


def no_plain_calls(statements: Sequence[Node]) -> list[Node]:
    """The statements that are no calls of methods without arguments, or of one that another calls, too."""
    texts = [text_of(one) for one in statements]
    return [one for one in statements if not _is_plain(one) or texts.count(text_of(one)) > 1]


def _is_plain(statement: Node) -> bool:
    call = call_in(statement)
    return call is not None and same(statement.named_children[0], call) and not arguments_of(call).items
