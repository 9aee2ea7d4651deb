"""How one place in the text binds a name: by import, assignment, parameter, loop and so on."""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from .climbing import Enclosing
from .syntax import COMPREHENSION_TYPES, LOOPS, OWN_SCOPES, ancestors, is_field, same, text_of

_SCOPE_TYPES = frozenset({*OWN_SCOPES, "module"}) | COMPREHENSION_TYPES
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})
_TARGET_HOLDERS = _PATTERNS | {"tuple", "list", "parenthesized_expression"}
_PARAMETER_HOLDERS = frozenset({"parameters", "lambda_parameters"})
_BLOCKS = frozenset({"block", "module"})
_PARAMETERS = frozenset({"default_parameter", "typed_parameter", "typed_default_parameter"})


class BindingKind(enum.Enum):
    """What binds a name."""

    IMPORT = "import"
    ASSIGNMENT = "assignment"
    ANNOTATION = "annotation"
    """``name: type`` without a value."""
    PARAMETER = "parameter"
    LOOP = "loop"
    WITH = "with"
    DEFINITION = "definition"
    """A function or class of that name."""
    GLOBAL = "global"
    NONLOCAL = "nonlocal"
    OTHER = "other"


class Binding(NamedTuple):
    """One place that binds a name."""

    name: str
    kind: BindingKind
    node: Node
    """The identifier that is bound; for an import the imported name as written."""
    scope: Node
    statement: Node
    value: Node | None = None
    """What a plain assignment to the name alone assigns, or a parameter's default."""
    target: str = ""
    """For an import the qualified name that it binds, relative modules with their leading dots."""


def scope_of(node: Node) -> Node:
    """The scope in which names at ``node`` are looked up: a function, class, comprehension or module."""
    child, parent = node, parent_of(node)
    while parent is not None:
        if parent.type in _SCOPE_TYPES and _belongs_to(child, parent, node):
            return parent
        child, parent = parent, parent_of(parent)
    return child


class Scopes:
    """The scopes of a file's names and the values of its assignments: each node on a way is passed once."""

    def __init__(self) -> None:
        self._ways = Enclosing(*_SCOPE_TYPES)
        self._known: dict[int, Node] = {}
        self._values: dict[int, Node | None] = {}
        self._root: Node | None = None

    def of(self, node: Node) -> Node:
        """What :func:`scope_of` says."""
        known = self._known.get(node.id)
        if known is None:
            known = self._known[node.id] = self._found(node)
        return known

    def _found(self, node: Node) -> Node:
        way = self._ways.on_the_way(node)
        while way is not None:
            child, scope = way
            if _belongs_to(child, scope, node):
                return scope
            way = self._ways.on_the_way(scope)
        return self._root_of(node)

    def _root_of(self, node: Node) -> Node:
        """The scope of all names in a file that could not be parsed as a module."""
        if self._root is None:
            self._root = (node, *ancestors(node))[-1]
        return self._root

    def assigned(self, statement: Node) -> Node | None:
        """What an assignment gives its target: of ``a = b = value`` the value, for either."""
        passed: list[int] = []
        value: Node | None = statement
        while value is not None and value.type == "assignment" and value.id not in self._values:
            passed.append(value.id)
            value = value.child_by_field_name("right")
        if value is not None and value.type == "assignment":
            value = self._values[value.id]
        self._values.update(dict.fromkeys(passed, value))
        return value


def _belongs_to(child: Node, scope: Node, node: Node) -> bool:
    """Whether a direct child of a scope node lies inside that scope rather than around it."""
    if scope.type in ("function_definition", "lambda"):
        if same(scope.child_by_field_name("body"), child):
            return True
        return child.type in _PARAMETER_HOLDERS and _is_parameter_name(node, child)
    if scope.type == "class_definition":
        return same(scope.child_by_field_name("body"), child)
    if scope.type in COMPREHENSION_TYPES:
        return not _is_first_iterable(child, scope, node)
    return True


def _is_parameter_name(node: Node, holder: Node) -> bool:
    parent = parent_of(node)
    if parent is None:
        return False
    if same(parent, holder):
        return True
    if parent.type in ("list_splat_pattern", "dictionary_splat_pattern"):
        return True
    if parent.type in ("default_parameter", "typed_default_parameter"):
        return is_field(node, "name")
    return parent.type == "typed_parameter" and not is_field(node, "type")


def _is_first_iterable(child: Node, scope: Node, node: Node) -> bool:
    if child.type != "for_in_clause":
        return False
    before = child.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    if not same(before, scope.child_by_field_name("body")):
        return False
    iterable = child.child_by_field_name("right")
    return iterable is not None and iterable.start_byte <= node.start_byte < iterable.end_byte


def binding_of(identifier: Node, scopes: Scopes) -> Binding | None:
    """The binding that an identifier node makes; ``None`` when it reads, or is an attribute or keyword."""
    parent = parent_of(identifier)
    if parent is None:
        return None
    kind = parent.type
    if kind in ("attribute", "call", "argument_list", "keyword_argument"):
        return None
    if kind in ("dotted_name", "aliased_import"):
        return _binding_in_import(identifier, parent, scopes)
    if kind in ("function_definition", "class_definition"):
        if not is_field(identifier, "name"):
            return None
        return _make(identifier, BindingKind.DEFINITION, scopes.of(parent), parent)
    if kind in _PARAMETER_HOLDERS:
        return _parameter(identifier, None, scopes)
    if kind in _PARAMETERS:
        return _binding_in_parameter(identifier, parent, scopes)
    if kind in ("global_statement", "nonlocal_statement"):
        redirect = BindingKind.GLOBAL if kind == "global_statement" else BindingKind.NONLOCAL
        return _make(identifier, redirect, scopes.of(identifier), parent)
    if kind == "named_expression":
        return _binding_in_walrus(identifier, parent, scopes)
    if kind == "type":
        return _binding_in_alias(identifier, parent, scopes)
    return _binding_in_target(identifier, scopes)


def _make(node: Node, kind: BindingKind, scope: Node, statement: Node, value: Node | None = None) -> Binding:
    return Binding(text_of(node), kind, node, scope, statement, value)


def _binding_in_parameter(identifier: Node, parent: Node, scopes: Scopes) -> Binding | None:
    if parent.type == "typed_parameter":
        return None if is_field(identifier, "type") else _parameter(identifier, None, scopes)
    if not is_field(identifier, "name"):
        return None
    return _parameter(identifier, parent.child_by_field_name("value"), scopes)


def _parameter(identifier: Node, default: Node | None, scopes: Scopes) -> Binding:
    return _make(identifier, BindingKind.PARAMETER, scopes.of(identifier), identifier, default)


def _binding_in_walrus(identifier: Node, parent: Node, scopes: Scopes) -> Binding | None:
    if not is_field(identifier, "name"):
        return None
    scope = scopes.of(identifier)
    while scope.type in COMPREHENSION_TYPES:
        scope = scopes.of(scope)
    value = parent.child_by_field_name("value")
    return _make(identifier, BindingKind.ASSIGNMENT, scope, parent, value)


def _binding_in_alias(identifier: Node, holder: Node, scopes: Scopes) -> Binding | None:
    """``type Name = ...`` of Python 3.12."""
    statement = parent_of(holder)
    if statement is None or statement.type != "type_alias_statement" or not is_field(holder, "left"):
        return None
    right = statement.child_by_field_name("right")
    value = right.named_children[0] if right is not None and right.named_children else None
    return _make(identifier, BindingKind.ASSIGNMENT, scopes.of(identifier), statement, value)


def _binding_in_target(identifier: Node, scopes: Scopes) -> Binding | None:
    """A binding by an assignment, a loop, ``with``, ``except`` or a ``match`` pattern."""
    child, parent = identifier, parent_of(identifier)
    alone = True
    while parent is not None and parent.type in _TARGET_HOLDERS:
        alone = alone and parent.type == "parenthesized_expression"
        child, parent = parent, parent_of(parent)
    if parent is None:
        return None
    if parent.type in _PARAMETER_HOLDERS or parent.type == "dictionary_splat_pattern":
        return _parameter(identifier, None, scopes)
    if parent.type == "as_pattern_target":
        return _make(identifier, BindingKind.WITH, scopes.of(identifier), parent)
    if parent.type == "case_pattern":
        return _make(identifier, BindingKind.OTHER, scopes.of(identifier), parent)
    if not same(parent.child_by_field_name("left"), child):
        return None
    if parent.type == "assignment":
        return _assignment(identifier, parent, alone, scopes)
    if parent.type == "augmented_assignment":
        return _make(identifier, BindingKind.OTHER, scopes.of(identifier), parent)
    if parent.type in ("for_statement", "for_in_clause"):
        return _make(identifier, BindingKind.LOOP, scopes.of(identifier), parent)
    return None


def _assignment(identifier: Node, statement: Node, alone: bool, scopes: Scopes) -> Binding:
    value = scopes.assigned(statement)
    scope = scopes.of(identifier)
    if value is None:
        return _make(identifier, BindingKind.ANNOTATION, scope, statement)
    if not alone:
        return _make(identifier, BindingKind.ASSIGNMENT, scope, statement)
    return _make(identifier, BindingKind.ASSIGNMENT, scope, statement, value)


def _binding_in_import(identifier: Node, parent: Node, scopes: Scopes) -> Binding | None:
    item = parent
    if parent.type == "dotted_name":
        holder = parent_of(parent)
        if holder is not None and holder.type == "case_pattern":
            single = len(parent.children) == 1
            scope = scopes.of(identifier)
            return _make(identifier, BindingKind.OTHER, scope, holder) if single else None
        if holder is not None and holder.type == "aliased_import":
            return None  # ``import a as b`` binds b alone
        if not same(parent.children[0], identifier):
            return None
    elif not is_field(identifier, "alias"):
        return None
    statement = parent_of(item)
    if statement is None or statement.type not in ("import_statement", "import_from_statement"):
        return None
    if same(statement.child_by_field_name("module_name"), item):
        return None
    return import_bindings(statement, scopes, [item])[0]


def import_bindings(statement: Node, scopes: Scopes, items: Sequence[Node] | None = None) -> list[Binding]:
    """The bindings that an import statement makes: of all its names, or of some of their nodes.

    These are its ``dotted_name``, ``aliased_import`` and ``wildcard_import`` nodes.
    """
    module = statement.child_by_field_name("module_name")
    if items is None:
        items = statement.children_by_field_name("name") or [
            child for child in statement.named_children if child.type == "wildcard_import"
        ]
    prefix = None if module is None else _dotted(module)
    scope = scopes.of(statement)
    return [_imported(statement, scope, prefix, item) for item in items]


def imported_module(item: Node) -> str:
    """The module of an item of ``import``: ``a.b`` of ``a.b`` and of ``a.b as c``."""
    name = item.child_by_field_name("name") if item.type == "aliased_import" else item
    return _dotted(name if name is not None else item)


def _imported(statement: Node, scope: Node, prefix: str | None, item: Node) -> Binding:
    alias = item.child_by_field_name("alias") if item.type == "aliased_import" else None
    imported = imported_module(item)
    bound = text_of(alias) if alias is not None else imported
    if prefix is None:
        target = imported
        if alias is None:
            bound = target = imported.partition(".")[0]
    elif imported == "*":
        target = prefix
    else:
        target = f"{prefix}{'' if prefix.endswith('.') else '.'}{imported}"
    return Binding(bound, BindingKind.IMPORT, item, scope, statement, None, target)


def _dotted(node: Node) -> str:
    """A dotted name as written, without the spaces that may stand around its dots."""
    text = text_of(node)
    return text if " " not in text else text.replace(" ", "")


def reaching(bindings: tuple[Binding, ...], identifier: Node) -> tuple[Binding, ...]:
    """The bindings, in text order, of which one gives the name its value at a place.

    ``import torch.optim as optim`` is what ``optim = optim.SGD(...)`` reads, and not what is behind it. A
    statement before the place hides those before it where its block holds the place as well, and those behind
    the place that a loop around all three comes back from. What runs in another function, or in any other
    loop around both, may come at any time. All of them where none is left.
    """
    return Reaching(bindings).at(identifier)


class Reaching:
    """:func:`reaching` for many places of one variable; what cannot reach a place is not looked at."""

    def __init__(self, bindings: tuple[Binding, ...]) -> None:
        self._bindings = bindings
        scope = bindings[0].scope.id
        self._scope = scope if all(scope_of(item.node).id == scope for item in bindings) else None

    def at(self, identifier: Node, *, but: int = -1) -> tuple[Binding, ...]:
        """What reaches a place, without the binding at the offset ``but``."""
        kept: list[Binding] = []
        if scope_of(identifier).id == self._scope:
            kept.extend(self._before(identifier, but))
        found = tuple(sorted(kept, key=_place_of))
        return found or tuple(item for item in self._bindings if item.node.start_byte != but)

    def _before(self, identifier: Node, but: int) -> Iterator[Binding]:
        """From the last that may reach a place back to the one that hides all before it."""
        place = identifier.start_byte
        loops = [parent.end_byte for parent in ancestors(identifier) if parent.type in LOOPS]
        last = bisect_left(self._bindings, max([place, *loops]), key=_place_of)
        later: list[tuple[Binding, Node]] = []
        for item in (self._bindings[index] for index in range(last - 1, -1, -1)):
            if item.node.start_byte == but:
                continue
            start = _always_given_at(item, place)
            if start is not None:
                yield item
                yield from (one for one, loop in later if not _holds(loop, start))
                return
            if item.statement.end_byte <= place:
                yield item
            elif (loop := _loop_around(item, place)) is not None:
                later.append((item, loop))
        yield from (one for one, _ in later)


def _place_of(binding: Binding) -> int:
    return binding.node.start_byte


def _block_of(binding: Binding) -> Node | None:
    return next((parent for parent in ancestors(binding.statement) if parent.type in _BLOCKS), None)


def _always_given_at(binding: Binding, place: int) -> int | None:
    """Where all ways to a place pass a binding: before it in its block, or at the head of its loop."""
    statement = binding.statement
    if binding.kind is BindingKind.LOOP:
        body = statement.child_by_field_name("body")
        if body is not None and _holds(body, place):
            return body.start_byte - 1
    is_certain = binding.kind not in (BindingKind.ANNOTATION, BindingKind.LOOP)
    is_before = statement.end_byte <= place and is_certain
    return statement.start_byte if is_before and _holds(_block_of(binding), place) else None


def _holds(node: Node | None, place: int) -> bool:
    return node is not None and node.start_byte <= place < node.end_byte


def _loop_around(binding: Binding, place: int) -> Node | None:
    """The innermost loop around a binding and a place."""
    loops = (parent for parent in ancestors(binding.statement) if parent.type in LOOPS)
    return next((loop for loop in loops if _holds(loop, place)), None)
