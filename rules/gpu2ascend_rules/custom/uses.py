"""Where a file speaks of a function by a name, whatever it calls it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..inference.classes.torch_classes import bases_of
from ..limits.parents import parent_of
from ..model.custom_rule import last_part
from ..text.names import Certainty, absolute_name
from ..text.scopes import Binding, BindingKind
from ..text.source_file import SourceFile
from ..text.syntax import call_of, field, is_field, text_of


class Use(NamedTuple):
    """A name that is read."""

    node: Node
    """The expression up to the name."""
    identifier: Node
    """The name alone."""
    qualified: str | None
    """The full name, when the file's imports determine it."""
    is_certain: bool
    binding: Binding | None
    """What gives the expression's root its meaning."""
    is_method: bool = False
    """Whether it is a method, on a receiver that is certainly of its class."""

    @property
    def may_change(self) -> bool:
        """Whether the name is one thing, or nothing that the file knows better than the user."""
        return self.is_certain or self.binding is None

    @property
    def call(self) -> Node | None:
        """The call of it, if it is called here."""
        return call_of(self.node)

    def is_of(self, name: str) -> bool:
        """Whether it is what a rule calls so: by its full name, or without dots by the last part of it."""
        if "." in name:
            return self.qualified == name
        if self.qualified is not None:
            return last_part(self.qualified) == name
        return text_of(self.identifier) == name


def uses_of(ctx: Context, name: str) -> Iterator[Use]:
    """Each place that reads what ``name`` names, in the file's own words for it."""
    source, last = ctx.source, last_part(name)
    pending = [last, *(item.name for item in source.names.imports if last_part(item.target) == last)]
    done: set[str] = set()
    while pending:
        local = pending.pop()
        if local in done:
            continue
        done.add(local)
        for identifier in source.identifiers(local):
            use = _use(source, identifier, may_be_attribute=local == last)
            if use is not None and use.qualified is None:
                use = _as_method(use, name, ctx)
            if use is not None and use.is_of(name):
                yield use
                pending += _given_names(use.node)


def _use(source: SourceFile, identifier: Node, *, may_be_attribute: bool) -> Use | None:
    parent = parent_of(identifier)
    if parent is not None and parent.type == "attribute" and is_field(identifier, "attribute"):
        if not may_be_attribute:
            return None
        node = parent
    elif source.names.is_reference(identifier):
        node = identifier
    else:
        return None
    found = source.names.qualified_name(node)
    if found is None or found.certainty is Certainty.ASSUMED:
        return Use(node, identifier, None if found is None else found.qualified_name, False, None)
    is_certain = found.certainty is Certainty.CERTAIN
    return Use(node, identifier, absolute_name(found.qualified_name, source.path), is_certain, found.binding)


def _as_method(use: Use, name: str, ctx: Context) -> Use:
    """The use as one of the method ``name``, where its receiver is certainly of that class of PyTorch's."""
    owner = name.rpartition(".")[0]
    receiver = field(use.node, "object") if use.node.type == "attribute" else None
    instance = ctx.instances.of(receiver) if owner and receiver is not None else None
    if instance is None or not instance.class_name or owner not in bases_of(instance.class_name):
        return use
    if instance.definition is not None and ctx.instances.classes.method(instance.definition, last_part(name)):
        return use
    return use._replace(qualified=name, is_certain=True, is_method=True)


def _given_names(expression: Node) -> Iterator[str]:
    """The name that a plain assignment gives to an expression."""
    parent = parent_of(expression)
    if parent is not None and parent.type == "assignment" and is_field(expression, "right"):
        target = parent.child_by_field_name("left")
        if target is not None and target.type == "identifier":
            yield text_of(target)


def is_local(source: SourceFile, use: Use) -> bool:
    """Whether a plain name is a variable, parameter or definition of the file itself."""
    if use.node.type != "identifier" or use.binding is not None:
        return False
    bindings = source.names.bindings_in_scope(text_of(use.identifier), use.identifier)
    return any(item.kind is not BindingKind.IMPORT for item in bindings)
