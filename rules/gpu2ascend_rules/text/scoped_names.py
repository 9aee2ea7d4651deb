"""Which bindings of a name are visible at a place of a file.

Scoping follows the language reference: functions, lambdas, comprehensions and classes bind names;
a class's names are not visible in its methods; ``global`` and ``nonlocal`` redirect; defaults,
annotations, decorators and the first iterable of a comprehension belong to the scope around.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from .parsed_text import ParsedText
from .scopes import Binding, BindingKind, Scopes, binding_of
from .syntax import field, last_name, last_name_of, text_of


class References:
    """The references of one file, by name."""

    def __init__(self, source: ParsedText, scopes: Scopes) -> None:
        self._source = source
        self._scopes = scopes
        self._bare: dict[str, list[tuple[Node, Binding | None]]] = {}
        self._found: dict[str, tuple[Node, ...]] = {}

    def bare(self, name: str) -> list[tuple[Node, Binding | None]]:
        """The places of a name that may bind it, each with its binding if it does."""
        known = self._bare.get(name)
        if known is None:
            known = self._bare[name] = []
            for node in self._source.bare_identifiers(name):
                checkpoint()
                known.append((node, binding_of(node, self._scopes)))
        return known

    def of(self, name: str) -> tuple[Node, ...]:
        """Every identifier of a name that reads a variable, in text order."""
        if name not in self._found:
            self._found[name] = tuple(self._reading(name, self._source.identifiers_in_parts(name)))
        return self._found[name]

    def is_one(self, identifier: Node) -> bool:
        """Whether an identifier node reads a variable."""
        return _is_read(identifier) and binding_of(identifier, self._scopes) is None

    def _reading(self, name: str, nodes: Iterable[Node]) -> list[Node]:
        bound = {node.start_byte for node, binding in self.bare(name) if binding is not None}
        return [node for node in nodes if node.start_byte not in bound and _is_read(node)]


def _is_read(node: Node) -> bool:
    """Whether an identifier that binds nothing reads a variable."""
    parent = parent_of(node)
    if parent is None:
        return False
    if parent.type == "attribute":
        return parent.start_byte == node.start_byte  # the object, not the attribute's name
    if parent.type == "keyword_argument":
        value = parent.child_by_field_name("value")
        return value is not None and value.id == node.id
    return parent.type != "dotted_name"


class _Local(NamedTuple):
    """What one scope makes of a name."""

    bindings: tuple[Binding, ...]
    is_global: bool
    """Whether a statement says that the name is the module's."""
    is_of_another: bool
    """Whether the name is that of a function around, and nothing else."""


def _local(bindings: list[Binding]) -> _Local:
    kinds = {item.kind for item in bindings}
    return _Local(tuple(bindings), BindingKind.GLOBAL in kinds, kinds == {BindingKind.NONLOCAL})


class ScopedNames:
    """The scopes of one file, and what binds and reads the names that are asked for."""

    def __init__(self, source: ParsedText) -> None:
        # The file owns its table. A strong reference back would keep every file of a project in memory
        # until the cycle collector happens to run.
        self._source: ParsedText = weakref.proxy(source)
        self._scopes = Scopes()
        self._bindings: dict[str, tuple[Binding, ...]] = {}
        self._references = References(self._source, self._scopes)
        self._readers: dict[str, dict[int, list[Node]]] = {}
        self._scoped: dict[str, dict[int, _Local]] = {}
        self._global: dict[str, bool] = {}

    def scope_of(self, node: Node) -> Node:
        """The scope in which names at a node are looked up: a function, class, comprehension or module."""
        return self._scopes.of(node)

    def bindings(self, name: str) -> tuple[Binding, ...]:
        """Every place that binds ``name``, in any scope, in text order."""
        self._source.asked.words.add(name)
        return self._bound(name)

    def _bound(self, name: str) -> tuple[Binding, ...]:
        found = self._bindings.get(name)
        if found is None:
            self._source.asked.names.add(name)
            found = self._bindings[name] = self._redirected(
                [item for _, item in self._references.bare(name) if item]
            )
        return found

    def references(self, name: str) -> tuple[Node, ...]:
        """Every identifier ``name`` that reads a variable, in text order."""
        self._source.asked.words.add(name)
        return self._references.of(name)

    def is_reference(self, identifier: Node) -> bool:
        """Whether an identifier node reads a variable."""
        return self._references.is_one(identifier)

    def readers(self, name: str, scope: Node) -> Sequence[Node]:
        """Every identifier that reads the variable of that name of a scope, in text order."""
        if parent_of(scope) is None:
            self._source.asked.words.add(name)
        by_scope = self._readers.get(name)
        if by_scope is None:
            by_scope = self._readers[name] = {}
            for use in self._references.of(name):
                for binding in self.bindings_in_scope(name, use)[:1]:
                    by_scope.setdefault(binding.scope.id, []).append(use)
        return by_scope.get(scope.id, ())

    def _redirected(self, bindings: list[Binding]) -> tuple[Binding, ...]:
        """The bindings of a name, below a ``global`` or ``nonlocal`` of it in the scope that is meant."""
        kinds = (BindingKind.GLOBAL, BindingKind.NONLOCAL)
        said = {item.scope.id: item for item in bindings if item.kind in kinds}
        if not said:
            return tuple(bindings)
        own = {item.scope.id for item in bindings} - said.keys()
        meant = {
            scope: self._source.root if item.kind is BindingKind.GLOBAL else self._around(item.scope, own)
            for scope, item in said.items()
        }
        return tuple(
            item._replace(scope=meant[item.scope.id])
            if item.scope.id in meant and item.kind not in kinds
            else item
            for item in bindings
        )

    def _around(self, scope: Node, own: set[int]) -> Node:
        """The nearest function around a scope of which a name is that is ``nonlocal`` there."""
        outer = scope
        while outer.id != self._source.root.id:
            outer = self.scope_of(outer)
            if outer.id in own and outer.type != "class_definition":
                return outer
        return scope

    def bindings_in_scope(self, name: str, identifier: Node) -> tuple[Binding, ...]:
        """The bindings of ``name`` that are visible at a node: those of the innermost scope that has any."""
        bindings = self._bound(name)
        if self._is_global(name, bindings):
            return bindings  # nothing can shadow it, wherever the node stands
        scope = self.scope_of(identifier)
        innermost = True
        while True:
            if innermost or scope.type != "class_definition":
                local = self._scopes_of(name).get(scope.id)
                if local is not None and local.is_global:
                    return self._bindings_of_scope(name, self._source.root)
                if local is not None and not local.is_of_another:
                    return local.bindings
            if parent_of(scope) is None:
                return ()
            scope = self.scope_of(scope)
            innermost = False

    def only_value(self, node: Node) -> Node | None:
        """What the one assignment that binds an identifier gives it; None for any other node."""
        bindings = self.bindings_in_scope(text_of(node), node) if node.type == "identifier" else ()
        is_one = len(bindings) == 1 and bindings[0].kind is BindingKind.ASSIGNMENT
        return bindings[0].value if is_one else None

    def called_name(self, call: Node) -> str:
        """The last name of what a call calls, through a variable: ``add = parser.add_argument; add()``."""
        name, function = last_name(call), field(call, "function")
        is_plain = function is not None and function.type == "identifier"
        bindings = self.bindings_in_scope(name, function) if function is not None and is_plain else ()
        bound = bindings[0].value if len(bindings) == 1 else None
        return last_name_of(bound) if bound is not None and bound.type == "attribute" else name

    def _is_global(self, name: str, bindings: tuple[Binding, ...]) -> bool:
        """Whether the module's scope alone binds a name, or none does."""
        known = self._global.get(name)
        if known is None:
            root = self._source.root.id
            known = self._global[name] = all(item.scope.id == root for item in bindings)
        return known

    def _bindings_of_scope(self, name: str, scope: Node) -> tuple[Binding, ...]:
        local = self._scopes_of(name).get(scope.id)
        return local.bindings if local is not None else ()

    def _scopes_of(self, name: str) -> dict[int, _Local]:
        """What each scope that binds a name makes of it."""
        scopes = self._scoped.get(name)
        if scopes is None:
            by_scope: dict[int, list[Binding]] = {}
            for item in self._bound(name):
                by_scope.setdefault(item.scope.id, []).append(item)
            scopes = self._scoped[name] = {key: _local(found) for key, found in by_scope.items()}
        return scopes

    def means_one_thing(self, name: str) -> bool:
        """Whether a name is the same wherever the file reads it: the module alone binds it, and once."""
        bindings = self.bindings(name)
        return len(bindings) < 2 and self._is_global(name, bindings)
