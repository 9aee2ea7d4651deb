"""This qualified name becomes that one: at a use, or in an import with everything that reads what it binds.

A rule asks for a name, in whatever way the file spells it, and says what it becomes; how the new name is
written, what must be imported for it, and which other places follow, is settled here for all rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, overload

from tree_sitter import Node

from ..edits.removal import imported_name_removal
from ..engine.context import Context
from ..engine.events import ImportRef, NameRef
from ..engine.rule import replace
from ..engine.scan import imported_name
from ..model.finding import Edit, Requirement
from ..model.project.other_files import is_imported_elsewhere
from ..text.scopes import Binding, BindingKind
from ..text.syntax import enclosing_statement, field, text_of
from ..text.uses import readers_of_import
from .split_imports import statement_joiner


class Renaming(NamedTuple):
    """What puts one name in the place of another."""

    edits: tuple[Edit, ...]
    requires: frozenset[Requirement] = frozenset()
    """The imports that the new text relies on."""


@overload
def name_becomes(ref: NameRef, target: str, ctx: Context, at: Node | None = None) -> Renaming: ...


@overload
def name_becomes(ref: ImportRef, target: str, ctx: Context) -> Renaming | None: ...


def name_becomes(
    ref: NameRef | ImportRef, target: str, ctx: Context, at: Node | None = None
) -> Renaming | None:
    """What makes a use of a qualified name, or an import of it, one of ``target``.

    A use is written as the file spells the new name's module. An import takes its uses along; it binds the
    old name where that is an alias, where others import it from this file (``__all__``, ``__init__``), or
    where the file uses the new name for something else.

    Args:
        ref: The use or the import.
        target: The qualified name that it becomes.
        ctx: The file.
        at: Of a use the part that becomes the name, where attributes behind it stay.

    Returns:
        ``None`` when an import cannot be taken apart without loss: a star, or comments between its names.
    """
    if isinstance(ref, NameRef):
        return Renaming((replace(at or ref.node, ctx.spell(target)),), ctx.requires(target))
    module, _, name = target.rpartition(".")
    edits = moved_import(ref.binding, module, name, ctx, keeps_name=is_handed_on(ref.binding, ctx))
    return Renaming(tuple(edits)) if edits is not None else None


def changes_with_import(ref: NameRef) -> bool:
    """Whether a use is the very name that the file imports or binds, so that it changes with that."""
    return ref.name == ref.root_name


def is_handed_on(binding: Binding, ctx: Context) -> bool:
    """Whether other files import what a binding imports from this one: from a package, or by ``__all__``."""
    if binding.scope.id != ctx.source.root.id:
        return False
    if ctx.source.path.endswith("__init__.py") or binding.name in _listed_in_all(ctx):
        return True
    return is_imported_elsewhere(ctx.project, ctx.source.path, binding.name)


def _listed_in_all(ctx: Context) -> frozenset[str]:
    """The names in the file's ``__all__``."""
    return ctx.once("names in __all__", lambda: frozenset(_names_in_all(ctx)))


def _names_in_all(ctx: Context) -> Iterator[str]:
    for offset in ctx.source.occurrences("__all__"):
        node = ctx.source.node_at(offset, offset + len("__all__"))
        if node is not None and node.type == "identifier":
            yield from text_of(enclosing_statement(node)).replace('"', "'").split("'")[1::2]


def imported_as(binding: Binding, target: str, ctx: Context, *, keeps_name: bool = False) -> str:
    """How a ``from`` import names ``target`` in the place of what a binding imports: ``new``, ``new as old``.

    Without ``as`` the uses must take the new name.
    """
    name = target.rpartition(".")[2]
    if field(binding.node, "alias") is not None:
        return f"{name} as {binding.name}"
    if name == binding.name:
        return name
    is_taken = any(not _means(other, target) for other in ctx.source.names.bindings(name))
    return f"{name} as {binding.name}" if is_taken or keeps_name else name


def _means(binding: Binding, target: str) -> bool:
    return binding.kind is BindingKind.IMPORT and imported_name(binding) == target


def uses_become(roots: Iterable[Node], imported: str) -> list[Edit]:
    """The edits of the identifiers that read an import, now that it is ``imported`` (:func:`imported_as`)."""
    if " as " in imported:
        return []
    return [replace(root, imported) for root in roots if text_of(root) != imported]


def moved_import(
    binding: Binding, module: str, name: str, ctx: Context, *, keeps_name: bool = False
) -> list[Edit] | None:
    """The edits that import ``name`` from ``module`` in the place of what a binding imports.

    The uses take the new name too, unless it is bound to the old one (:func:`imported_as`). ``None`` when
    the statement cannot be taken apart without loss: a star import, or one with comments between its names.
    """
    holder = field(binding.statement, "module_name")
    if holder is None or binding.name == "*":
        return None
    imported = imported_as(binding, f"{module}.{name}", ctx, keeps_name=keeps_name)
    uses = uses_become(readers_of_import(binding, ctx.source), imported)
    if len(ctx.source.names.imported_by(binding.statement)) == 1:
        edits = [replace(holder, module), replace(binding.node, imported), *uses]
        return [edit for edit in edits if ctx.source.slice(edit.start, edit.end) != edit.text]
    if b"#" in (binding.statement.text or b""):
        return None
    return [*_taken_out(binding, f"from {module} import {imported}", ctx), *uses]


def _taken_out(binding: Binding, statement: str, ctx: Context) -> list[Edit]:
    """Remove a name and its comma from a list of names, and import it in a statement after this one."""
    joiner = statement_joiner(binding.statement, ctx.source)
    end = binding.statement.end_byte
    return [imported_name_removal(ctx.source, binding), Edit(end, end, f"{joiner}{statement}")]
