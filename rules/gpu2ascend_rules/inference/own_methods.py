"""Whether a call is for certain one of a method that the file's own class defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from ..text.scopes import BindingKind
from ..text.syntax import enclosing, field, text_of
from .class_definitions import ClassDefinitions

if TYPE_CHECKING:
    from ..text.source_file import SourceFile

MAX_DEPTH = 4


def calls_own_method(receiver: Node, name: str, source: SourceFile) -> bool:
    """Whether ``receiver.name`` is the method of a class of the file, as in ``Net().cuda()``."""
    classes = ClassDefinitions(source)
    if receiver.type == "call" and text_of(receiver).startswith("super("):
        owners = _bases(enclosing(receiver, "class_definition"), classes)
    else:
        owner = _class_of(receiver, source, classes, 0)
        owners = [owner] if owner is not None else []
    return any(classes.method(owner, name) is not None for owner in owners)


def _bases(owner: Node | None, classes: ClassDefinitions) -> list[Node]:
    holder = field(owner, "superclasses") if owner is not None else None
    bases = [classes.definition_of(base) for base in (holder.named_children if holder is not None else ())]
    return [base for base in bases if base is not None and base.type == "class_definition"]


def _class_of(node: Node, source: SourceFile, classes: ClassDefinitions, depth: int) -> Node | None:
    """The class of the file that made an object: all that is assigned to its name must agree."""
    if depth > MAX_DEPTH:
        return None
    if node.type == "call":
        function = field(node, "function")
        definition = classes.definition_of(function) if function is not None else None
        return definition if definition is not None and definition.type == "class_definition" else None
    if node.type == "identifier":
        values = _assigned(node, source)
    elif node.type == "attribute" and text_of(node).startswith("self.") and text_of(node).count(".") == 1:
        values = [*classes.assigned_to_self(node, text_of(node).removeprefix("self."))]
    else:
        return None
    others = [value for value in values if not _is_made_from(value, text_of(node))]
    found = [_class_of(value, source, classes, depth + 1) for value in others]
    return found[0] if found and all(owner is not None and owner == found[0] for owner in found) else None


def _assigned(name: Node, source: SourceFile) -> list[Node]:
    """What is assigned to a variable; nothing if something else binds it, too."""
    bindings = source.names.bindings_in_scope(text_of(name), name)
    values = [item.value for item in bindings if item.kind is BindingKind.ASSIGNMENT]
    return [value for value in values if value is not None] if len(values) == len(bindings) else []


def _is_made_from(value: Node, name: str) -> bool:
    """``net = net.cuda()``, which is no evidence of its own."""
    function = field(value, "function") if value.type == "call" else None
    return function is not None and function.type == "attribute" and text_of(function).startswith(f"{name}.")
