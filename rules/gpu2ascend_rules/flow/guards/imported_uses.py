"""Where a file uses a name of another module, however it imports that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...engine.scan import imported_name
from ...limits.parents import parent_of
from ...text.scopes import Binding
from ...text.syntax import chain_from_root

if TYPE_CHECKING:
    from ...engine.context import Context


def uses_of_import(path: str, name: str, ctx: Context) -> Iterator[Node]:
    """The uses of a name of the module that lies at a path: the name itself, or where a dotted one begins."""
    for binding, below in _bindings(path, name, ctx):
        for use in ctx.source.names.references(name if binding.name == "*" else binding.name):
            chain = chain_from_root(use)
            if chain.attributes[: len(below)] == below:
                yield chain.nodes[len(below)] if len(below) < len(chain.nodes) else use


def imports_of(path: str, ctx: Context) -> Iterator[Node]:
    """The statements that import the module at a path, or a name of it."""
    for binding in ctx.source.names.imports:
        module = binding.target.rpartition(".")[0]
        if path in (
            _path_of(binding.target, ctx),
            _path_of(imported_name(binding), ctx),
            _path_of(module, ctx),
        ):
            yield binding.statement


def statements_of(path: str, name: str, ctx: Context) -> Iterator[Node]:
    """The statements that import a name of the module that lies at a path."""
    return (binding.statement for binding, _ in _bindings(path, name, ctx))


def passed_on(path: str, name: str, ctx: Context) -> Iterator[str]:
    """The names of the file's own by which others may import it."""
    for binding, below in _bindings(path, name, ctx):
        if not below and parent_of(binding.scope) is None:
            yield name if binding.name == "*" else binding.name


def _bindings(path: str, name: str, ctx: Context) -> Iterator[tuple[Binding, tuple[str, ...]]]:
    for binding in ctx.source.names.imports:
        below = _below(binding, path, name, ctx)
        if below is not None:
            yield binding, below


def _below(binding: Binding, path: str, name: str, ctx: Context) -> tuple[str, ...] | None:
    """The attributes that lead from what an import binds to a name of the module at a path; None if none."""
    target = binding.target
    module, _, imported = target.rpartition(".")
    module = module if module.strip(".") else target[: len(target) - len(imported)]
    if binding.name == "*":
        return () if _path_of(target, ctx) == path else None
    if imported == name and _path_of(module, ctx) == path:
        return ()
    written = imported_name(binding)
    if _path_of(written, ctx) != path:
        return None
    between = written[len(target) + 1 :] if written != target else ""
    return (*(between.split(".") if between else ()), name)


def _path_of(module: str, ctx: Context) -> str:
    return ctx.project.path_of_module(ctx.source.path, module) or ""
