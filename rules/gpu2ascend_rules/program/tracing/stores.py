"""Where a word is kept: variables, attributes, containers, and what a function returns."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...text.syntax import call_of, enclosing, field, is_field, operator_of, same, text_of
from ...text.uses import scope_of_variable
from ..names.definition import CLASS, FUNCTION, MODULE, Definition
from ..values import ITEM, EndKind, Value
from .parts import Tracing

_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})


class Stores:
    """The steps through names and containers."""

    def __init__(self, tracer: Tracing) -> None:
        self._tracer = tracer

    # -- assignments -----------------------------------------------------------------------------------

    def assigned(self, value: Value, parent: Node) -> Iterator[Value]:
        """What an assignment binds, ``a = b = value`` included."""
        if not is_field(value.node, "right"):
            return
        node: Node | None = parent
        while node is not None and node.type == "assignment":
            target = field(node, "left")
            if target is not None:
                yield from self.into(value, target)
            node = parent_of(node)

    def augmented(self, value: Value, parent: Node) -> Iterator[Value]:
        """What ``+=`` adds to a list."""
        target = field(parent, "left")
        is_added = operator_of(parent) in ("+=", "|=") or parent.type == "augmented_assignment"
        if target is not None and value.access and is_added and is_field(value.node, "right"):
            yield from self.into(value, target)

    def walrus(self, value: Value, parent: Node) -> Iterator[Value]:
        """``(name := value)``."""
        name = field(parent, "name")
        if name is not None and not same(name, value.node):
            yield from self.into(value, name)
            yield value.at(parent)

    def default(self, value: Value, parent: Node) -> Iterator[Value]:
        """The reads of a parameter that has the word as its default."""
        name = field(parent, "name")
        if name is not None and not same(name, value.node):
            self._tracer.tests.annotated(value, name)
            yield from self._tracer.reads(value, name)

    def into(self, value: Value, target: Node) -> Iterator[Value]:
        """The reads of a target that now holds a value."""
        if target.type == "identifier":
            self._tracer.tests.annotated(value, target)
            scope = scope_of_variable(target, value.file.source)
            kept = value._replace(calls=()) if scope.type in (MODULE, CLASS) else value
            yield from self._tracer.reads(kept, target)
        elif target.type == "attribute":
            name, receiver = field(target, "attribute"), field(target, "object")
            if name is not None and receiver is not None:
                yield from self.attribute(value, receiver, text_of(name))
        elif target.type == "subscript":
            holder, keys = field(target, "value"), target.children_by_field_name("subscript")
            key = plain_text(keys[0]) if len(keys) == 1 else None
            if holder is not None:
                held = value.within(key if key is not None else ITEM, holder)
                yield from self.into(held, holder)
        elif target.type in _PATTERNS:
            yield from self._unpacked(value, target)

    def _unpacked(self, value: Value, pattern: Node) -> Iterator[Value]:
        """``first, second = value``."""
        if not value.access or not value.access[0].startswith("["):
            return
        index = value.access[0][1:-1]
        for place, target in enumerate(pattern.named_children):
            if not index or index == str(place):
                yield from self.into(value._replace(access=value.access[1:]), target)

    def attribute(self, value: Value, receiver: Node, name: str) -> Iterator[Value]:
        """The reads of ``receiver.name``: by the class of the object, or by the variable that holds it."""
        self._tracer.called(value, receiver, name)
        owner = self._tracer.definitions.classes.of(value.file, receiver)
        if owner is None:
            named = self._tracer.definitions.of(value.file, receiver)
            owner = named if named is not None and named.kind == CLASS else None
            if named is not None and named.kind == MODULE:
                yield from self._of_module(value, named, name)
                return
        if owner is not None:
            yield from self.field(value._replace(calls=()), owner, name)
        elif receiver.type in ("identifier", "attribute", "subscript"):
            yield from self.into(value.within(name, receiver), receiver)

    def _of_module(self, value: Value, module: Definition, name: str) -> Iterator[Value]:
        """``module.name = value``."""
        for binding in module.file.source.names.bindings(name):
            if parent_of(binding.scope) is None:
                yield from self._tracer.reads(
                    value.at(binding.node, module.file)._replace(calls=()), binding.node
                )
                return

    def field(self, value: Value, owner: Definition, name: str) -> Iterator[Value]:
        """The reads of an attribute of a class's instances."""
        for file, use, is_certain in self._tracer.uses.of_field(owner, name):
            yield value.read_at(use, file, is_certain=is_certain)

    # -- containers ------------------------------------------------------------------------------------

    def pair(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from the value of a dictionary's entry to the dictionary."""
        key, holder = field(parent, "key"), parent_of(parent)
        if key is None or holder is None or same(key, value.node):
            return
        text = plain_text(key)
        self._tracer.called(value, key, text or "")
        yield value.within(text if text is not None else ITEM, holder)

    def item(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from a container to one of its items."""
        keys = parent.children_by_field_name("subscript")
        if not value.access:
            if value.is_text:
                yield value.at(parent)  # a part of the text
            return
        if len(keys) != 1:
            return
        if keys[0].type == "slice":
            yield value.at(parent)
            return
        text, first = plain_text(keys[0]), value.access[0]
        index = f"[{text_of(keys[0])}]"
        if (text is not None and first == text) or (text is None and first in (ITEM, index)):
            yield value._replace(access=value.access[1:], node=parent)
        elif text is None and first.startswith("[") and keys[0].type == "unary_operator":
            yield value._replace(access=value.access[1:], node=parent)  # from the end
        elif text is None and keys[0].type != "integer":
            yield value._replace(access=value.access[1:], node=parent, is_certain=False)

    def iterated(self, value: Value, parent: Node) -> Iterator[Value]:
        """The variable of a loop over a container."""
        target = field(parent, "left")
        if target is None or not is_field(value.node, "right") or not value.access:
            return
        if value.access[0].startswith("["):
            yield from self.into(value._replace(access=value.access[1:]), target)

    # -- results ---------------------------------------------------------------------------------------

    def yielded(self, value: Value, parent: Node) -> Iterator[Value]:
        """What a generator gives one after the other."""
        yield from self._result(value.within(ITEM, parent), parent)

    def returned(self, value: Value, parent: Node) -> Iterator[Value]:
        """The calls of the function that returns a value: the one through which the word came, else all."""
        yield from self._result(value, parent)

    def _result(self, value: Value, statement: Node) -> Iterator[Value]:
        node = enclosing(statement, FUNCTION, "lambda")
        if node is None or node.type == "lambda":
            self._tracer.end(EndKind.UNKNOWN, value, statement)
            return
        function = Definition(value.file, node)
        if value.calls:
            last = value.calls[-1]
            if last.entered == function.key:
                yield value.read_at(last.node, last.file, is_certain=True)._replace(calls=value.calls[:-1])
                return
        for file, call, is_certain in self._tracer.uses.of_function(function):
            yield value.read_at(call, file, is_certain=is_certain)._replace(calls=())

    def given_by_lambda(self, value: Value, parent: Node) -> Iterator[Value]:
        """The calls of a lambda with a name, and what a factory makes."""
        holder = parent_of(parent)
        if not is_field(value.node, "body") or holder is None:
            return
        name = field(holder, "name") if holder.type == "keyword_argument" else field(holder, "left")
        if holder.type == "keyword_argument" and name is not None and text_of(name).endswith("factory"):
            yield value.at(parent)
        elif holder.type == "assignment" and name is not None and name.type == "identifier":
            for file, use, is_certain in self._tracer.uses.of_variable(value.file, name):
                call = call_of(use)
                if call is not None:
                    yield value.read_at(call, file, is_certain=is_certain)._replace(calls=())
        else:
            self._tracer.end(EndKind.UNKNOWN, value, parent)
