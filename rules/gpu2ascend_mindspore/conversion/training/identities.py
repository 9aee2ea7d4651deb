"""Names of one thing: ``self.model = model`` has ``self.model`` and the parameter ``model`` be the same."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import Binding
from gpu2ascend_rules.text.syntax import enclosing, field, is_assigned, same, text_of, value_given

from ..evidence import Evidence
from ..values.callers import given_by_callers

FUNCTION, ANOTHER = "compute_loss", "compute_step_loss"
"""What the function of a step is called, and what where the program has one of that name."""
_SCOPES = ("function_definition", "module")


def name_for(evidence: Evidence, backward: Node, loss: str, count: int = 1) -> str:
    """A name by the loss, where a function has more steps than this one of ``count`` losses."""
    name = f"compute_{loss}"
    scope = enclosing(backward, *_SCOPES)
    places = [one for one in evidence.source.identifiers("backward") if same(enclosing(one, *_SCOPES), scope)]
    is_free = loss.isidentifier() and not evidence.source.identifiers(name)
    if len(places) > count and is_free:
        return name
    return ANOTHER if evidence.source.names.bindings_in_scope(FUNCTION, backward) else FUNCTION


Identity = tuple[str, int]
"""A name, and where it is one: the scope of a variable, the class of an attribute of ``self``."""
_MOST_NAMES = 8
_PLACING = (".to", ".cuda", ".cpu", ".npu")


def identity(evidence: Evidence, node: Node) -> Identity:
    """What a variable or an attribute is: of several names for one thing, that which it had first."""
    for _ in range(_MOST_NAMES):
        value = _only_value(evidence, node)
        if value is None:
            break
        node = value
    if node.type == "identifier":
        bindings = evidence.source.names.bindings_in_scope(text_of(node), node)
        return text_of(node), bindings[0].scope.id if bindings else 0
    owner = enclosing(node, "class_definition")
    return text_of(node), owner.id if owner is not None else 0


def _only_value(evidence: Evidence, node: Node) -> Node | None:
    """The other name that a name is given, where it is given nothing else."""
    if node.type == "identifier":
        bindings = evidence.source.names.bindings_in_scope(text_of(node), node)
        values = [_name_in(one.value or _given(evidence, one)) for one in bindings]
        return values[0] if len(values) == 1 else None
    if node.type != "attribute" or not text_of(node).startswith("self."):
        return None
    name, owner = field(node, "attribute"), enclosing(node, "class_definition")
    values = []
    for identifier in evidence.source.identifiers(text_of(name)) if name is not None else ():
        target = parent_of(identifier)
        if target is None or not is_assigned(target) or text_of(target) != text_of(node):
            continue
        if enclosing(target, "class_definition") == owner:
            values.append(_name_in(value_given(target)))
    return values[0] if len(values) == 1 else None


def _given(evidence: Evidence, binding: Binding) -> Node | None:
    """What the only call gives for a parameter."""
    given = given_by_callers(evidence.source, binding)
    return given[0] if len(given) == 1 else None


def _name_in(value: Node | None) -> Node | None:
    """The name of which a value is another; a module that is placed on a device stays the same one."""
    while value is not None and value.type == "call":
        function = field(value, "function")
        placed = function is not None and text_of(function).endswith(_PLACING)
        value = field(function, "object") if placed else None
    return value if value is not None and value.type in ("identifier", "attribute") else None
