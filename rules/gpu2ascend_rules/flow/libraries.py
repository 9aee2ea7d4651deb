"""Whose devices a callable means: torch's, another framework's, or nobody knows."""

from __future__ import annotations

import enum
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..data import load_tsv
from ..text.names import NameResolution
from ..text.scopes import BindingKind
from ..text.syntax import chain_of, field, text_of, without_parentheses

if TYPE_CHECKING:
    from ..engine.context import Context

MAX_DEPTH = 6
"""How many variables an object is followed back through."""
MAX_VALUES = 20
"""How many assignments to one variable are looked at."""


class Origin(enum.Enum):
    """Where a callable comes from."""

    TORCH = "torch"
    """torch, or a library whose devices are torch's."""
    FOREIGN = "foreign"
    """A framework with devices of its own."""
    PLAIN = "none"
    """A library that computes on no device."""
    PROJECT = "project"
    """Another file of the project."""
    LIBRARY = "library"
    """A library that no table lists."""
    UNKNOWN = "unknown"
    """Not a library's: a method of an unknown object, a name of this file, or of the standard library."""


class Source(NamedTuple):
    """A callable's origin, with the library's name when it is imported."""

    origin: Origin
    library: str = ""


_UNKNOWN = Source(Origin.UNKNOWN)


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    return {row["library"]: row["devices"] for row in load_tsv("device_libraries")}


def is_foreign_library(name: str) -> bool:
    """Whether a dotted name belongs to a library that has nothing to do with torch's devices."""
    return _table().get(name.partition(".")[0]) in ("foreign", "none")


def is_torch_library(name: str) -> bool:
    """Whether a dotted name belongs to torch or to a library whose devices are torch's."""
    return _table().get(name.partition(".")[0]) == "torch"


def source_of_name(qualified_name: str, ctx: Context) -> Source:
    """The origin of an imported name."""
    root = qualified_name.partition(".")[0]
    if not root:
        return Source(Origin.PROJECT)
    if root in sys.stdlib_module_names:
        return _UNKNOWN
    listed = _table().get(root)
    if listed is not None:
        return Source(Origin(listed), root)
    if ctx.project.has_module(ctx.source.path, root):
        return Source(Origin.PROJECT)
    return Source(Origin.LIBRARY, root)


def is_of_other_devices(expression: Node, ctx: Context) -> bool:
    """Whether an object comes from a library whose devices are not torch's."""
    return _source_of(expression, ctx, 0).origin in (Origin.FOREIGN, Origin.PLAIN)


def source_of_callee(call: Node, ctx: Context) -> Source:
    """The origin of what a call calls, or of the object whose method it calls."""
    function = field(call, "function")
    return _source_of(function, ctx, 0) if function is not None else _UNKNOWN


def source_of_value(expression: Node, ctx: Context) -> Source:
    """The origin of what made an object."""
    return _source_of(expression, ctx, 0)


def _source_of(expression: Node, ctx: Context, depth: int) -> Source:
    """Follow attributes, calls and assignments back to an import."""
    node = without_parentheses(expression)
    if depth > MAX_DEPTH:
        return _UNKNOWN
    if node.type == "attribute" and text_of(node).startswith("self."):
        return _source_of_self(node, ctx, depth)
    while node.type in ("attribute", "call", "subscript", "await"):
        inner = field(node, "function") or field(node, "object") or field(node, "value")
        if inner is None:
            inner = node.named_children[0] if node.named_children else None
        if inner is None:
            return _UNKNOWN
        node = without_parentheses(inner)
    if node.type != "identifier":
        return _UNKNOWN
    resolution = ctx.source.names.resolve(node)
    if is_imported(resolution):
        assert resolution is not None
        return source_of_name(resolution.qualified_name, ctx)
    return _source_of_variable(node, ctx, depth)


def is_imported(resolution: NameResolution | None) -> bool:
    """Whether a name is one that an import gives the file."""
    return resolution is not None and resolution.binding is not None


def _source_of_variable(identifier: Node, ctx: Context, depth: int) -> Source:
    if is_foreign_library(text_of(identifier)):
        # ``torch_tensorrt, has_it = optional_import('torch_tensorrt')``
        return Source(Origin.FOREIGN, text_of(identifier))
    sources: set[Source] = set()
    for binding in ctx.source.names.bindings_in_scope(text_of(identifier), identifier)[:MAX_VALUES]:
        if binding.kind is BindingKind.DEFINITION:
            sources.add(_source_of_class(binding.statement, ctx, depth))
        value = binding.value if binding.kind is BindingKind.ASSIGNMENT else None
        if value is not None and value.type in ("call", "attribute", "identifier"):
            sources.add(_source_of(value, ctx, depth + 1))
    return sources.pop() if len(sources) == 1 else _UNKNOWN


def _source_of_class(definition: Node, ctx: Context, depth: int) -> Source:
    """The origin of a class of this file that only extends one of another framework."""
    bases = field(definition, "superclasses")
    for base in bases.named_children if bases is not None else ():
        source = _source_of(base, ctx, depth + 1)
        if source.origin is Origin.FOREIGN:
            return source
    return _UNKNOWN


def _source_of_self(node: Node, ctx: Context, depth: int) -> Source:
    """The origin of what is assigned to ``self.name``, where all assignments agree."""
    chain = chain_of(node)
    if chain is None or not chain.attributes:
        return _UNKNOWN
    name = chain.attributes[0]
    sources: set[Source] = set()
    for identifier in ctx.source.identifiers(name):
        target = identifier.parent
        statement = target.parent if target is not None else None
        if statement is None or statement.type != "assignment" or target is None:
            continue
        value = field(statement, "right")
        if text_of(target) == f"self.{name}" and value is not None and value.type == "call":
            sources.add(_source_of(value, ctx, depth + 1))
    return sources.pop() if len(sources) == 1 else _UNKNOWN


def is_foreign_file(ctx: Context) -> bool:
    """Whether a file works with another framework and with nothing of torch."""
    foreign = False
    for binding in ctx.source.names.imports:
        if binding.target.startswith(".") or is_torch_library(binding.target):
            return False
        if ctx.project.has_module(ctx.source.path, binding.target.partition(".")[0]):
            return False
        foreign = foreign or has_own_devices(binding.target)
    return foreign


def has_own_devices(name: str) -> bool:
    """Whether a dotted name belongs to a library that computes on devices of its own."""
    return _table().get(name.partition(".")[0]) == "foreign"
