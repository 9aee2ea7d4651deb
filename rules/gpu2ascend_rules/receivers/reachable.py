"""Whether another file of the project could show what a value is; asking is slow and rarely helps."""

from __future__ import annotations

from tree_sitter import Node

from ..engine.context import Context
from ..limits.walks import PROGRAM_WALK_LIMITS
from ..text.scopes import Binding, BindingKind
from ..text.syntax import enclosing, field, text_of, without_parentheses


def is_reachable(expression: Node, ctx: Context) -> bool:
    """Whether everything that a value begins with is defined in the project.

    A parameter without annotation may be anything, and of other libraries nothing is known.
    """
    return _is_reachable(expression, ctx, set(), PROGRAM_WALK_LIMITS.depth)


def _is_reachable(expression: Node, ctx: Context, seen: set[tuple[str, int]], steps: int) -> bool:
    node = _beginning(expression)
    if node.type != "identifier" or steps == 0:
        return False
    name = text_of(node)
    if name == "self":
        return _attribute_tells(node, ctx, seen, steps - 1)
    bindings = ctx.source.names.bindings_in_scope(name, node)
    if not bindings:
        return False
    key = (name, bindings[0].scope.id)
    if key in seen:
        return True  # x = x.view(-1) says neither yes nor no
    seen.add(key)
    return all(_binding_tells(binding, ctx, seen, steps - 1) for binding in bindings)


def _attribute_tells(self_: Node, ctx: Context, seen: set[tuple[str, int]], steps: int) -> bool:
    """Whether what a class keeps in ``self.<name>``, or inherits, is defined by the project."""
    holder = self_.parent
    name = field(holder, "attribute") if holder is not None and holder.type == "attribute" else None
    classes = ctx.instances.classes
    annotation = classes.annotated_on_self(self_, text_of(name)) if name is not None else None
    if annotation is not None:
        return _annotation_tells(annotation, ctx, seen, steps)
    values = classes.assigned_to_self(self_, text_of(name)) if name is not None else []
    if values:
        return all(
            ctx.instances.of(value) is not None or _is_reachable(value, ctx, seen, steps) for value in values
        )
    owner = enclosing(self_, "class_definition")
    bases = field(owner, "superclasses") if owner is not None else None
    return any(_is_reachable(base, ctx, seen, steps) for base in (bases.named_children if bases else ()))


def _beginning(expression: Node) -> Node:
    """What a chain of attributes, calls and subscripts begins with."""
    node = without_parentheses(expression)
    while node.type in ("attribute", "call", "subscript", "await"):
        inner = field(node, "object") or field(node, "function") or field(node, "value")
        if inner is None:
            return node
        node = without_parentheses(inner)
    return node


def _binding_tells(binding: Binding, ctx: Context, seen: set[tuple[str, int]], steps: int) -> bool:
    if binding.kind is BindingKind.IMPORT:
        return _is_of_project(binding, ctx)
    if binding.kind is BindingKind.PARAMETER:
        holder = binding.node.parent
        annotation = field(holder, "type") if holder is not None else None
        return annotation is not None and _annotation_tells(annotation, ctx, seen, steps)
    if binding.kind in (BindingKind.DEFINITION, BindingKind.ANNOTATION):
        return True
    statement = binding.statement
    if statement.type == "augmented_assignment":
        return True
    source = binding.value or field(statement, "right")
    if source is None:
        return False
    known = ctx.instances.of(source)
    return known is not None or _is_reachable(source, ctx, seen, steps)


def _annotation_tells(annotation: Node, ctx: Context, seen: set[tuple[str, int]], steps: int) -> bool:
    """Whether some class that an annotation names, in quotes or not, is defined by the project."""
    if annotation.type == "string":
        root = text_of(annotation).strip("'\"").partition(".")[0]
        return any(_binding_tells(binding, ctx, seen, steps) for binding in ctx.source.names.bindings(root))
    if annotation.type == "identifier":
        return _is_reachable(annotation, ctx, seen, steps)
    return any(_annotation_tells(part, ctx, seen, steps) for part in annotation.named_children)


def _is_of_project(binding: Binding, ctx: Context) -> bool:
    path = ctx.source.path
    if binding.target.startswith(".") or ctx.project.has_module(path, binding.target):
        return True
    return ctx.project.has_module(path, binding.target.rpartition(".")[0] or binding.target)
