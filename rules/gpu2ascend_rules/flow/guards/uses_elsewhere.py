"""What a file does with a name of another module that needs CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ...engine.scan import imported_name
from ...limits.parents import parent_of
from ...text.scopes import Binding
from ...text.syntax import chain_from_root
from .fallbacks import has_fallback

if TYPE_CHECKING:
    from ...engine.context import Context


class UsesElsewhere(NamedTuple):
    """What a file does with a name of another module."""

    on_npu: int = 0
    """How often it uses it on a way that the NPU takes."""
    on_cuda_alone: int = 0
    """How often on others."""
    passed_on: tuple[str, ...] = ()
    """The names of its own by which others may import it."""


def uses_elsewhere(path: str, name: str, ctx: Context) -> UsesElsewhere:
    """What a file does with a name of the module that lies at a path."""
    passed_on: dict[str, None] = {}
    uses: dict[int, Node] = {}
    for binding in ctx.source.names.imports:
        below = _below(binding, path, name, ctx)
        if below is None:
            continue
        local = name if binding.name == "*" else binding.name
        if not below and parent_of(binding.scope) is None:
            passed_on[local] = None
        for use in ctx.source.names.references(local):
            if chain_from_root(use).attributes[: len(below)] == below:
                uses[use.id] = use
    served = sum(has_fallback(use, ctx) for use in uses.values())
    return UsesElsewhere(len(uses) - served, served, tuple(passed_on))


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
    found = ctx.project.find_module(ctx.source.path, module)
    return found[0] if found is not None else ""
