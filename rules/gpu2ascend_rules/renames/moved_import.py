"""One name of a ``from`` import, imported from another module: the edits, with those of its uses."""

from __future__ import annotations

from ..edits.removal import imported_name_removal
from ..engine.context import Context
from ..engine.rule import replace
from ..model.finding import Edit
from ..text.scopes import Binding, import_bindings
from ..text.syntax import field, same


def moved_import(binding: Binding, module: str, name: str, ctx: Context) -> list[Edit] | None:
    """The edits that import ``name`` from ``module`` in the place of what a binding imports.

    The uses take the new name too, unless the file uses that name for something else. ``None`` when the
    statement cannot be taken apart without loss: a star import, or one with comments between its names.
    """
    holder = field(binding.statement, "module_name")
    if holder is None or binding.name == "*":
        return None
    taken = bool(ctx.source.names.bindings(name)) or field(binding.node, "alias") is not None
    imported = f"{name} as {binding.name}" if taken else name
    uses = [] if taken else _uses(binding, name, ctx)
    others = [item for item in import_bindings(binding.statement) if not same(item.node, binding.node)]
    if not others:
        return [replace(holder, module), replace(binding.node, imported), *uses]
    if b"#" in (binding.statement.text or b""):
        return None
    return [*_taken_out(binding, f"from {module} import {imported}", ctx), *uses]


def _uses(binding: Binding, name: str, ctx: Context) -> list[Edit]:
    names = ctx.source.names
    found: list[Edit] = []
    for identifier in ctx.source.identifiers(binding.name):
        resolution = names.resolve(identifier) if names.is_reference(identifier) else None
        source = resolution.binding if resolution is not None else None
        if source is not None and same(source.node, binding.node):
            found.append(replace(identifier, name))
    return found


def _taken_out(binding: Binding, statement: str, ctx: Context) -> list[Edit]:
    """Remove a name and its comma from a list of names, and import it in a statement after this one."""
    lines = ctx.source.lines
    line = lines.line_of(binding.statement.start_byte)
    indent = ctx.source.slice(lines.line_start(line), binding.statement.start_byte)
    joiner = "; " if indent.strip() else f"{ctx.source.newline}{indent}"
    end = binding.statement.end_byte
    return [imported_name_removal(ctx.source, binding), Edit(end, end, f"{joiner}{statement}")]
