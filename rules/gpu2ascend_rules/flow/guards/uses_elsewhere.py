"""What a file does with a name of another module that needs CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ...engine.scan import imported_name
from ...limits.parents import parent_of
from ...text.guards import gives_up, is_guarded
from ...text.scopes import Binding, BindingKind
from ...text.syntax import ancestors, call_of, chain_from_root, field, parts_of, same, text_of
from .fallbacks import DefaultWays, Fallbacks, has_fallback
from .imported_uses import imports_of, passed_on, statements_of, uses_of_import
from .needing.needs import needs_of, runs_on_cpu
from .ways import Way, way_of_use

if TYPE_CHECKING:
    from ...engine.context import Context

_TESTS = frozenset({"comparison_operator", "not_operator", "boolean_operator", "conditional_expression"})


def need_of_import(statement: Node, ctx: Context, *, by_default: bool) -> bool:
    """Whether a file needs what an import statement brings, on a way that the NPU takes: it is not tried, or
    called all the same."""
    is_tried = is_guarded(statement) and not _is_left(statement, ctx) and not _is_missed(statement, ctx)
    return not is_tried and not has_fallback(statement, ctx, by_default=by_default)


def _is_left(statement: Node, ctx: Context) -> bool:
    """Whether an import is all that is left where the NPU lacks what was tried before: it is of a handler."""
    clause = next((node for node in ancestors(statement) if node.type == "except_clause"), None)
    body = field(parent_of(clause), "body") if clause is not None else None
    tried = [
        item
        for item in ctx.source.names.imports
        if body is not None and same(parent_of(item.statement), body)
    ]
    return any(needs_of(ctx).is_of_cuda(item) for item in tried)


def _is_missed(statement: Node, ctx: Context) -> bool:
    """Whether the NPU comes to a call of what an import brings that is tried, and nothing stands in for it:
    ``op = None`` where the import fails, and ``op(x)`` without a test, or a class whose every use raises."""
    names, cuda = ctx.source.names, ctx.project.cuda
    for binding in names.imports:
        if not same(binding.statement, statement):
            continue
        bound = names.bindings_in_scope(binding.name, binding.node)
        others = [item for item in bound if not same(item.statement, statement)]
        if others and all(_raises_in_use(item, ctx) for item in others):
            return bool(cuda.is_used_on_npu(ctx.source.path, binding.name, ctx.options, by_default=True))
        if any(text_of(item.value) != "None" for item in others):
            continue
        uses = [use for use in names.references(binding.name) if use.start_byte > statement.end_byte]
        if not any(map(_is_tested, uses)) and any(_is_called_on_npu(use, ctx) for use in uses):
            return True
    return False


def _raises_in_use(binding: Binding, ctx: Context) -> bool:
    """Whether a name is bound to a function that only raises, or to an object or class of the file of which
    every method but the one that makes it does."""
    definition: Node | None = binding.statement
    if binding.kind is not BindingKind.DEFINITION:
        name = field(binding.value, "function")
        bound = ctx.source.names.bindings_in_scope(text_of(name), name) if name is not None else ()
        definition = next((item.statement for item in bound if item.kind is BindingKind.DEFINITION), None)
    if definition is None or definition.type == "function_definition":
        return definition is not None and gives_up(field(definition, "body") or definition)
    bodies = [
        field(item, "body") or item
        for item in parts_of(field(definition, "body") or definition)
        if item.type == "function_definition" and text_of(field(item, "name")) != "__init__"
    ]
    return bool(bodies) and all(map(gives_up, bodies))


def _is_tested(use: Node) -> bool:
    """Whether a name is asked for whether it is there: ``if op is None``, ``op and op(x)``."""
    parent = parent_of(use)
    is_condition = parent is not None and same(field(parent, "condition"), use)
    return is_condition or (parent is not None and parent.type in _TESTS)


def _is_called_on_npu(use: Node, ctx: Context) -> bool:
    called = chain_from_root(use).node
    is_call = call_of(called) is not None and not is_guarded(use)
    return is_call and way_of_use(called, use, ctx) is Way.TAKEN


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
    ways = ctx.shared(DefaultWays if by_default else Fallbacks)
    is_left = all(map(ways.serve, statements_of(path, name, ctx)))  # then the name stands for another
    served = sum(is_left or ways.serve(use) or ways.serve_base(use) for use in uses.values())
    return UsesElsewhere(len(uses) - served, served, tuple(dict.fromkeys(passed_on(path, name, ctx))))
