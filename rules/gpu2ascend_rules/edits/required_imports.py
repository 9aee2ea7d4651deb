"""Where the imports go that new text needs: once, after the first import of torch, never in its way."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from ..model.finding import Edit, Requirement
from ..text.dynamic_imports import TORCH, called_imports
from ..text.scopes import Binding, scope_of
from ..text.source_file import SourceFile
from ..text.syntax import ancestors, enclosing, text_of

_NESTING = frozenset({"function_definition", "class_definition"})
_ANCHORS = frozenset({TORCH, "torch_npu"})
"""What a fix has made an import from torch_npu stays an anchor: the order of fixes must not matter."""
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})


def import_edits(source: SourceFile, needs: Iterable[tuple[Requirement, int]]) -> tuple[Edit, ...]:
    """The insertions that satisfy what the text at some byte offsets needs, each import once a place."""
    wanted: dict[Edit, None] = {}
    imports = _imports_of(source)
    for requirement, offset in sorted(needs, key=lambda need: (need[0].target, need[1])):
        if not imports.satisfy(requirement, offset):
            edit = imports.insertion(requirement, offset)
            if edit is not None:
                wanted[edit] = None
    return _joined(wanted)


def _joined(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Insertions at one place as one, so that two new imports cannot be taken for a conflict."""
    places: dict[int, str] = {}
    for edit in edits:
        places[edit.start] = places.get(edit.start, "") + edit.text
    return tuple(Edit(start, start, text) for start, text in sorted(places.items()))


def _imports_of(source: SourceFile) -> _Imports:
    """The imports of a file, found out once for all that is asked of it, be it fix by fix."""
    # The file keeps the answer: a strong reference back would be a ring.
    return source.once("required imports", lambda: _Imports(weakref.proxy(source)))


class _Bringer(NamedTuple):
    """An import that brings a module."""

    name: str
    """What it binds."""
    is_for_types: bool


class _Imports:
    """The imports of a file by module and scope, so that only those around a place are looked at for it."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self._bringers: dict[str, dict[int, dict[_Bringer, None]]] = {}
        self._insertions: dict[tuple[int | None, str], Edit] = {}
        """By the import that an insertion goes behind, and what it imports."""

    def satisfy(self, requirement: Requirement, offset: int) -> bool:
        """Whether an import of the file brings what text at an offset needs."""
        by_scope = self._about(requirement.target)
        return any(
            requirement.name in (None, bringer.name)
            and not (bringer.is_for_types and not _is_annotation(self.source, offset))
            for scope in (self.scopes_around(offset) if by_scope else ())
            for bringer in by_scope.get(scope, ())
        )

    def scopes_around(self, offset: int) -> Iterator[int]:
        """The ids of all nodes around an offset, the module's among them."""
        yield self.source.root.id
        node = self.source.node_at(offset, offset + 1)
        if node is not None:
            yield node.id
            yield from (parent.id for parent in ancestors(node))

    def _about(self, module: str) -> dict[int, dict[_Bringer, None]]:
        """The imports that bring a module, by the scope that they bind their name in."""
        if module not in self._bringers:
            found = self._bringers[module] = {}
            for binding in self.source.names.imports_of(module.partition(".")[0]):
                # ``from torch_npu.profiler import profile`` loads torch_npu, too, but another fix may have
                # put it there: counting it, the import would depend on the order in which fixes are made.
                if _loads(binding, module) or binding.target == module:
                    bringer = _Bringer(binding.name, _is_for_types(binding))
                    found.setdefault(binding.scope.id, {})[bringer] = None
        return self._bringers[module]

    def insertion(self, requirement: Requirement, offset: int) -> Edit | None:
        """The edit that imports what text at an offset needs; ``None`` where it is not needed by its name."""
        anchor = _torch_import(self, offset)
        if anchor is None and not requirement.by_name:
            return None
        key = (anchor.id if anchor is not None else None, requirement.statement)
        if key not in self._insertions:
            if anchor is None:
                edit = _at_top(self.source, requirement.statement)
            else:
                edit = _after(self.source, anchor, requirement.statement)
            self._insertions[key] = edit
        return self._insertions[key]

    def innermost(self, offset: int) -> Node | None:
        """The last of :attr:`statements` in the functions and classes around an offset."""
        places = (self._last_in_scope.get(scope, -1) for scope in self.scopes_around(offset))
        last = max(places, default=-1)
        return self.statements[last] if last >= 0 else None

    @cached_property
    def _last_in_scope(self) -> dict[int, int]:
        """By scope the place of its last statement among :attr:`statements`."""
        return {scope_of(node).id: place for place, node in enumerate(self.statements)}

    @cached_property
    def anchors(self) -> list[Binding]:
        """The imports of torch, or of torch_npu."""
        return [item for item in self.source.names.imports if item.target.partition(".")[0] in _ANCHORS]

    @cached_property
    def statements(self) -> list[Node]:
        """The statements of :attr:`anchors` that are executed, and the imports that are calls."""
        executed = [binding.statement for binding in self.anchors if not _is_for_types(binding)]
        return [*executed, *called_imports(self.source)]

    @cached_property
    def outermost(self) -> Node | None:
        """The first of them at module level; else the first inside a module-level ``try`` or ``if``."""
        plain = (node for node in self.statements if node.parent is not None and node.parent.type == "module")
        nested = (node for node in self.statements if enclosing(node, *_NESTING) is None)
        return next(plain, None) or next(nested, None)


def _loads(binding: Binding, module: str) -> bool:
    """Whether an ``import`` loads a module of several parts under its own name."""
    is_plain = binding.node.type == "dotted_name" and binding.statement.type == "import_statement"
    return is_plain and "." in module and f"{text_of(binding.node)}.".startswith(f"{module}.")


def _is_for_types(binding: Binding) -> bool:
    """Whether an import stands below ``if TYPE_CHECKING:`` and so is not made at run time."""
    for parent in ancestors(binding.statement):
        condition = parent.child_by_field_name("condition") if parent.type == "if_statement" else None
        if condition is not None and text_of(condition).endswith("TYPE_CHECKING"):
            return True
    return False


def _torch_import(imports: _Imports, offset: int) -> Node | None:
    """The import of torch (or torch_npu) after which another belongs, for text at a byte offset.

    The first at module level; else one inside a module-level ``try`` or ``if``; else one in a function
    around the offset; else, for an annotation, one for types only.
    """
    if imports.outermost is not None:
        return imports.outermost
    around = imports.innermost(offset)
    if around is None and _is_annotation(imports.source, offset):
        return next((binding.statement for binding in imports.anchors), None)
    return around


def _is_annotation(source: SourceFile, offset: int) -> bool:
    node = source.node_at(offset, offset + 1)
    return node is not None and enclosing(node, "type") is not None


def _after(source: SourceFile, statement: Node, text: str) -> Edit:
    line = source.lines.line_of(max(statement.start_byte, statement.end_byte - 1))
    end = source.lines.line_span(line)[1]
    first = source.lines.line_span(source.lines.line_of(statement.start_byte))[0]
    indent = source.slice(first, statement.start_byte).replace("\f", "")
    is_at_module_level = statement.parent is not None and statement.parent.type == "module"
    if _is_used_before(statement, end) or (indent.strip() and not is_at_module_level):
        return Edit(statement.end_byte, statement.end_byte, f"; {text}")
    # ``import os; import torch``: the line as a whole is a module-level one.
    return Edit(end, end, f"{source.newline}{'' if indent.strip() else indent}{text}")


def _is_used_before(statement: Node, end: int) -> bool:
    """Whether more than imports follows on a statement's own line: ``import torch; x = torch.ones(1)``."""
    after = statement.next_named_sibling
    while after is not None and after.start_byte < end:
        if after.type not in _IMPORTS and after.type != "comment":
            return True
        after = after.next_named_sibling
    return False


def _at_top(source: SourceFile, text: str) -> Edit:
    """After the leading imports; without any, after the comments, docstring and ``__future__``."""
    last: Node | None = None
    for child in source.root.children:
        if child.type in _IMPORTS:
            last = child
        elif child.type == "comment" or _is_docstring(child):
            last = last if last is not None and "import" in last.type else child
        else:
            break
    if last is None:
        return Edit(0, 0, text + source.newline)
    end = source.lines.line_span(source.lines.line_of(max(last.start_byte, last.end_byte - 1)))[1]
    return Edit(end, end, source.newline + text)


def _is_docstring(child: Node) -> bool:
    inner = child.named_children
    return child.type == "expression_statement" and bool(inner) and inner[0].type == "string"


def imports_of(edits: Iterable[Edit]) -> Iterator[str]:
    """The import statements that such insertions consist of."""
    for edit in edits:
        for part in edit.text.replace(";", "\n").split("\n"):
            if part.strip():
                yield part.strip()
