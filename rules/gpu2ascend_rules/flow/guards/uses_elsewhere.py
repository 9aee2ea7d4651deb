"""What a file does with a name of another module that needs CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ...engine.scan import imported_name
from ...text.guards import is_guarded
from .fallbacks import has_fallback
from .imported_uses import imports_of, passed_on, uses_of_import
from .needing.needs import runs_on_cpu
from .ways import Way, way_of_use

if TYPE_CHECKING:
    from ...engine.context import Context


def need_of_import(statement: Node, ctx: Context, *, by_default: bool) -> bool:
    """Whether a file needs what an import statement brings: it is not tried, on a way that the NPU takes."""
    return not is_guarded(statement) and not has_fallback(statement, ctx, by_default=by_default)


def needs_extension(module: str, ctx: Context) -> bool | None:
    """Whether a file comes to an extension where no setting is changed; None of one that imports it not."""
    found: bool | None = None
    for binding in ctx.source.names.imports:
        if module not in (binding.target.strip("."), imported_name(binding).strip(".")):
            continue
        uses = (use for use in ctx.source.names.references(binding.name) if not runs_on_cpu(use))
        if need_of_import(binding.statement, ctx, by_default=True):
            return True
        if any(way_of_use(use, use, ctx) is Way.TAKEN for use in uses):
            return True
        found = False
    return found


class UsesElsewhere(NamedTuple):
    """What a file does with a name of another module."""

    on_npu: int = 0
    """How often it uses it on a way that the NPU takes."""
    on_cuda_alone: int = 0
    """How often on others."""
    passed_on: tuple[str, ...] = ()
    """The names of its own by which others may import it."""


def uses_elsewhere(path: str, name: str, ctx: Context, *, by_default: bool = False) -> UsesElsewhere:
    """What a file does with a name of the module that lies at a path; without a name, with the module."""
    if not name:
        needed = [need_of_import(item, ctx, by_default=by_default) for item in imports_of(path, ctx)]
        return UsesElsewhere(sum(needed), len(needed) - sum(needed))
    uses = {use.id: use for use in uses_of_import(path, name, ctx)}
    served = sum(has_fallback(use, ctx, by_default=by_default) for use in uses.values())
    return UsesElsewhere(len(uses) - served, served, tuple(dict.fromkeys(passed_on(path, name, ctx))))
