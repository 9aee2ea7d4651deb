"""What attributes of the file's own classes are given, and what its functions return."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.inference.instances import Instance
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import Binding
from gpu2ascend_rules.text.syntax import field, is_assigned, parts_of, text_of, value_given


def own_object(context: Context, call: Node) -> Instance | None:
    """The object that a call of a class of the file makes, which derives from nothing; else None."""
    function = field(call, "function")
    if function is None or function.type != "identifier":
        return None
    made = [one.statement for one in context.source.names.bindings(text_of(function))]
    is_plain = len(made) == 1 and made[0].type == "class_definition"
    bases = field(made[0], "superclasses") if is_plain else None
    is_own = is_plain and (bases is None or text_of(bases) in ("()", "(object)"))
    return Instance("", made[0]) if is_own else None


def values_kept(context: Context, owner: Instance | None, attribute: Node) -> list[Node]:
    """All values that the file gives an attribute of an object; none where one is not shown."""
    name = text_of(field(attribute, "attribute"))
    if owner is None or owner.definition is None:
        return []
    if not context.instances.classes.assigned_in(owner.definition, name):
        return []
    values: list[Node] = []
    for identifier in context.source.identifiers(name):
        target = parent_of(identifier)
        if target is None or target.type != "attribute" or not is_assigned(target):
            continue
        if is_of_other_class(context, target, owner.definition):
            continue
        value = value_given(target)
        if value is None:
            return []
        values.append(value)
    return values


def is_of_other_class(context: Context, attribute: Node, definition: Node) -> bool:
    """Whether an attribute is one of ``self`` in a class that neither derives from one nor is its base."""
    holder = context.source.enclosing(attribute, "class_definition")
    if text_of(field(attribute, "object")) != "self" or holder is None:
        return False
    classes = context.instances.classes
    return not (classes.derives(holder, definition) or classes.derives(definition, holder))


def returned_by(
    context: Context, call: Node, owner: Instance | None = None, called: Instance | None = None
) -> list[Node]:
    """What a function, a method of an object, or a module that the file defines returns."""
    function = field(call, "function")
    found = called_by(context, function, owner, called) if function is not None else None
    return context.instances.classes.returned_by(found) if found is not None else []


def called_by(
    context: Context, function: Node, owner: Instance | None, called: Instance | None
) -> Node | None:
    """The function, method or ``forward`` of the file that a call calls."""
    classes, called = context.instances.classes, called or context.instances.of(function)
    if called is not None and called.definition is not None and is_module(called.class_name):
        return classes.method(called.definition, "forward")
    if function.type != "attribute":
        return classes.definition_of(function) if function.type == "identifier" else None
    receiver, name = function.named_children[0], text_of(field(function, "attribute"))
    owner = owner or context.instances.of(receiver)
    of_class = owner.definition if owner is not None else None
    if text_of(receiver) == "self":
        of_class = of_class or context.source.enclosing(function, "class_definition")
    return classes.method(of_class, name) if of_class is not None else None


def unpacked_by(context: Context, binding: Binding, called: Instance | None) -> list[Node]:
    """What a binding gets of the tuples that a function, a method or a module of the file returns."""
    target, value = field(binding.statement, "left"), field(binding.statement, "right")
    if target is None or value is None or value.type != "call":
        return []
    at = next((place for place, one in enumerate(target.named_children) if one.id == binding.node.id), -1)
    returned = returned_by(context, value, called=called)
    several = [parts_of(one) for one in returned if one.type in ("tuple", "expression_list")]
    is_known = at >= 0 and len(several) == len(returned)
    return [one[at] for one in several] if is_known and all(at < len(one) for one in several) else []
