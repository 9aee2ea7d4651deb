"""Functions that return what their project compiles for CUDA, and what keeps their results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ....engine.scan import imported_name
from ....inference.extensions.cuda_sources import Build
from ....limits.parents import parent_of, parent_type
from ....text.scopes import Binding
from ....text.syntax import call_of, chain_from_root, enclosing, field, same, text_of
from ...libraries import extension_module
from .given import split_name

if TYPE_CHECKING:
    from ....engine.context import Context


def giving_functions(builds: Iterable[Build], ctx: Context) -> frozenset[str]:
    """The functions of a module that return an extension which they import, compile or load."""
    imports = [item for item in ctx.source.names.imports if extension_module(item, ctx) is not None]
    found = {name for item in imports for name in _returning(item.name, item.node, ctx)}
    for build in builds:
        if parent_type(build.call) == "return_statement":
            found.update(_name_around(build.call))
        elif build.module is not None:
            found.update(_returning(text_of(build.module), build.module, ctx))
    return frozenset(found)


def handed_on(own: frozenset[str], ctx: Context) -> Iterator[Build]:
    """The calls of such functions, of the file or of another, whose result the module keeps.

    Args:
        own: The names of those of the file.
    """
    root = ctx.source.root
    uses = [use for name in sorted(own) for use in ctx.source.names.readers(name, root)]
    for binding in ctx.source.names.imports:
        if binding.scope.id == root.id and any(map(ctx.project.may_need_cuda, _parts_of(binding))):
            uses += _uses_of_imported(binding, ctx)
    for use in uses:
        call = call_of(use)
        build = Build(call) if call is not None else None
        if build is not None and build.module is not None:
            yield build


def _returning(name: str, bound: Node, ctx: Context) -> Iterator[str]:
    """The function that returns what a name in it is bound to."""
    function = enclosing(bound, "function_definition")
    for use in ctx.source.names.references(name) if function is not None else ():
        is_returned = parent_type(use) == "return_statement"
        if is_returned and same(enclosing(use, "function_definition"), function):
            yield from _name_around(use)


def _name_around(place: Node) -> Iterator[str]:
    """The name of the function of the module that a place is in."""
    function = enclosing(place, "function_definition")
    name = field(function, "name")
    if name is not None and function is not None and parent_type(function) == "module":
        yield text_of(name)


def _parts_of(binding: Binding) -> list[str]:
    return [*binding.target.split("."), *imported_name(binding).split(".")]


def _uses_of_imported(binding: Binding, ctx: Context) -> Iterator[Node]:
    """The uses of such functions of a module of the project: ``get()``, or ``utils.get()``."""
    module, name = split_name(binding.target)
    if module and name in _giving(module, ctx):
        yield from ctx.source.names.references(binding.name)
        return
    found = _giving(binding.target, ctx)
    for use in ctx.source.names.references(binding.name) if found else ():
        chain = chain_from_root(use)
        if len(chain.attributes) == 1 and chain.attributes[0] in found:
            yield parent_of(use) or use


def _giving(module: str, ctx: Context) -> frozenset[str]:
    return ctx.project.cuda.compiled_names(ctx.source.path, module, ctx.options, returned=True)
