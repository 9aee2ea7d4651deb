"""Classes of modules that switch parts of theirs to evaluation, or to training, as they are made."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.syntax import called_on, enclosing, field, last_name, same, text_of

from ...evidence import Evidence

SWITCHES = frozenset({"train", "eval"})


def switches_of_parts(evidence: Evidence, call: Node) -> list[Node]:
    """The calls by which the class of a module that is made switches its parts, in their order."""
    classes, function = evidence.context.instances.classes, field(call, "function")
    definition = classes.definition_of(function) if function is not None else None
    is_class = definition is not None and definition.type == "class_definition"
    init = classes.method(definition, "__init__") if definition is not None and is_class else None
    return [
        node
        for node in (nodes_in(init) if init is not None else ())
        if node.type == "call" and last_name(node) in SWITCHES
        if (owner := called_on(node)) is not None
        if text_of(owner).startswith("self.")
    ]


def is_last_of_making(evidence: Evidence, statement: Node) -> bool:
    """Whether all modules of a class are made before a statement of its ``__init__``, which always runs."""
    init, owner = enclosing(statement, "function_definition"), enclosing(statement, "class_definition")
    if init is None or owner is None or not same(parent_of(statement), field(init, "body")):
        return False
    behind = statement.next_named_sibling
    while behind is not None:
        if any(node.type in ("assignment", "for_statement") for node in nodes_in(behind)):
            return False
        behind = behind.next_named_sibling
    name = field(owner, "name")
    uses = evidence.source.identifiers(text_of(name))
    return not any(parent_type(one) == "argument_list" and _is_base(one) for one in uses)


def _is_base(name: Node) -> bool:
    """Whether a class derives from what a name stands for."""
    holder = parent_of(name)
    return holder is not None and same(field(parent_of(holder), "superclasses"), holder)
