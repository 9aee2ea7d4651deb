"""How an object of a library that builds on torch moves to a device: like a module, or by ``to`` alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from tree_sitter import Node

from ..data import load_tsv
from ..engine.context import Context
from ..inference.naming_hints import KEEPS_RECEIVER
from ..inference.walk.reading import Reading, Walk, Way
from ..inference.walk.walker import Walker
from ..limits.parents import parent_of
from ..text.names import NameResolution
from ..text.scopes import Binding
from ..text.syntax import field, text_of

NPU, TO = "npu", "to"


class Moves(NamedTuple):
    """How the objects of a class move."""

    method: str
    """``npu``, as modules and tensors have it, or ``to``; another text where nothing is known."""
    asked_by: str = ""
    """What they have in place of ``is_cuda``: ``device``, which may be None, ``is_npu``, or nothing."""


_UNKNOWN, _PENDING = Moves("?"), Moves("...")


def moves_of(expression: Node, ctx: Context) -> Moves | None:
    """How an object made by a library known to build on torch moves to a device; None for any other."""
    walker = ctx.once("moves as", lambda: Walker(ctx.source, _Libraries(), ctx.instances.classes))
    found = {walker.of(value) for value in (expression, *_unpacked_values(expression, ctx))} - {_UNKNOWN}
    moves = found.pop() if len(found) == 1 else _UNKNOWN
    return moves if moves.method in (NPU, TO) else None


def move_of_library(expression: Node, ctx: Context) -> str | None:
    """The method by which it moves: ``npu`` or ``to``."""
    moves = moves_of(expression, ctx)
    return moves.method if moves is not None else None


def uses_containers(ctx: Context) -> bool:
    """Whether the project imports a library whose objects hold tensors and have ``cuda()``, but no ``npu()``.

    An object of which nothing is known may be one of them there.
    """
    return ctx.once(uses_containers, lambda: _uses_containers(ctx))


def _uses_containers(ctx: Context) -> bool:
    libraries = container_libraries()
    return any(ctx.imports_module(name) or ctx.project.may_import(name) for name in libraries)


def _unpacked_values(expression: Node, ctx: Context) -> Iterator[Node]:
    """The call of ``model, _, transform = create()`` that gives a variable, if nothing else does."""
    names = ctx.source.names
    bindings = (
        names.bindings_in_scope(text_of(expression), expression) if expression.type == "identifier" else []
    )
    for binding in bindings if len(bindings) == 1 else ():
        statement = ctx.source.enclosing(binding.node, "assignment")
        left = field(statement, "left")
        right = field(statement, "right")
        if left is not None and left.type == "pattern_list" and right is not None and right.type == "call":
            yield right


class _Libraries(Reading[Moves]):
    """The library that made an object, where every value of a name is made by such a one."""

    unknown = _UNKNOWN
    pending = _PENDING
    ways = frozenset({Way.BARE_ANNOTATIONS, Way.ITEMS, Way.MEMBERS, Way.RETURNS})
    guesses = True

    def joined(self, values: Iterator[Moves]) -> Moves:
        found = set(values) - {_PENDING}
        return found.pop() if len(found) == 1 else _UNKNOWN

    def made_by(self, function: NameResolution, call: Node) -> Moves | None:
        return _moves_of(function.qualified_name) if function.binding is not None else None

    def annotated(self, annotation: Node, walk: Walk[Moves], depth: int) -> Moves | None:
        named = _class_in(annotation)
        resolution = walk.source.names.qualified_name(named) if named is not None else None
        if resolution is None or resolution.binding is None:
            return None
        found = _moves_of(resolution.qualified_name)
        return found if found.method == TO else None

    def definition_behind(self, function: Node, walk: Walk[Moves]) -> Node | None:
        """Also of a class that is decorated, which may be anything but for the library's own decorators."""
        bindings = walk.source.names.bindings_in_scope(text_of(function), function)
        statement = bindings[0].statement if len(bindings) == 1 else None
        if statement is not None and statement.type == "class_definition":
            return statement
        return walk.classes.definition_of(function)

    def instance_of(self, definition: Node, walk: Walk[Moves], depth: int) -> Moves | None:
        """An object of a class of the file that derives from one of a library."""
        holder, decorated = field(definition, "superclasses"), parent_of(definition)
        bases = list(holder.named_children) if holder is not None else []
        if decorated is not None and decorated.type == "decorated_definition":
            bases += [item.named_children[0] for item in decorated.named_children if item.type == "decorator"]
        for base in bases:  # ``@tensorclass`` makes one of it, too
            resolution = walk.source.names.qualified_name(_called(base))
            if resolution is not None and resolution.binding is not None:
                return _moves_of(resolution.qualified_name)
        return None

    def yielded(
        self, iterable: Node, place: tuple[int, ...], binding: Binding, walk: Walk[Moves], depth: int
    ) -> Moves | None:
        """What a loader of containers yields."""
        found = walk.of(iterable, depth)
        return found if found.method == TO else None

    def method(self, receiver: Node, name: str, walk: Walk[Moves], depth: int) -> Moves | None:
        return walk.of(receiver, depth) if name in KEEPS_RECEIVER else None


def _called(expression: Node) -> Node:
    """The function of a call, and any other expression itself."""
    function = field(expression, "function") if expression.type == "call" else None
    return function if function is not None else expression


def _class_in(annotation: Node) -> Node | None:
    """The name of the class that an annotation is, optional or not; None for any other, and in quotes."""
    node = annotation
    while node.type in ("type", "union_type", "binary_operator", "generic_type", "type_parameter"):
        parts = [part for part in node.named_children if text_of(part) not in ("None", "Optional")]
        if len(parts) != 1:
            return None
        node = parts[0]
    return node if node.type in ("identifier", "attribute") else None


@cache
def _rows() -> Mapping[str, Moves]:
    """How what a library makes moves, by the library or a name in it."""
    return {row["library"]: Moves(row["move"], row["is_cuda"]) for row in load_tsv("torch_receivers")}


@cache
def container_libraries() -> frozenset[str]:
    """The top-level modules of the libraries whose objects hold tensors and are passed around like them."""
    rows = load_tsv("torch_receivers")
    return frozenset(row["library"].partition(".")[0] for row in rows if row["holds"] == "tensors")


def _moves_of(qualified_name: str) -> Moves:
    rows = _rows()
    while qualified_name:
        if qualified_name in rows:
            return rows[qualified_name]
        qualified_name = qualified_name.rpartition(".")[0]
    return _UNKNOWN
