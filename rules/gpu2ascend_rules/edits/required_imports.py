"""Where the imports go that new text needs: once, after the first import of torch, never in its way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

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
    imports = _Imports(source)
    for requirement, offset in sorted(needs, key=lambda need: (need[0].target, need[1])):
        if not imports.satisfy(requirement, offset):
            edit = _insertion(imports, requirement, offset)
            if edit is not None:
                wanted[edit] = None
    return _joined(wanted)


def _joined(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Insertions at one place as one, so that two new imports cannot be taken for a conflict."""
    places: dict[int, str] = {}
    for edit in edits:
        places[edit.start] = places.get(edit.start, "") + edit.text
    return tuple(Edit(start, start, text) for start, text in sorted(places.items()))


class _Imports:
    """The imports of a file, each looked at once for all that text needs."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self._of_module: dict[str, list[tuple[Binding, bool, bool]]] = {}

    def satisfy(self, requirement: Requirement, offset: int) -> bool:
        """Whether an import of the file brings what text at an offset needs."""
        module = requirement.target
        for binding, is_loaded, is_for_types in self._about(module):
            if not _is_visible(self.source, binding, offset):
                continue
            is_missing = is_for_types and not _is_annotation(self.source, offset)
            if is_missing or requirement.name not in (None, binding.name):
                continue
            # ``from torch_npu.profiler import profile`` loads torch_npu, too, but another fix may have put it
            # there: counting it, the import would depend on the order in which fixes are made.
            if is_loaded or binding.target == module:
                return True
        return False

    def _about(self, module: str) -> list[tuple[Binding, bool, bool]]:
        """The imports of a module or of parts of it; whether each loads it, and is for types only."""
        if module not in self._of_module:
            found = self._of_module[module] = []
            for binding in self.source.names.imports:
                is_loaded = _loads(binding, module)
                if is_loaded or module in (binding.target.partition(".")[0], binding.target):
                    found.append((binding, is_loaded, _is_for_types(binding)))
        return self._of_module[module]

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


def _is_visible(source: SourceFile, binding: Binding, offset: int) -> bool:
    scope = binding.scope
    return scope.id == source.root.id or scope.start_byte <= offset < scope.end_byte


def _is_for_types(binding: Binding) -> bool:
    """Whether an import stands below ``if TYPE_CHECKING:`` and so is not made at run time."""
    for parent in ancestors(binding.statement):
        condition = parent.child_by_field_name("condition") if parent.type == "if_statement" else None
        if condition is not None and text_of(condition).endswith("TYPE_CHECKING"):
            return True
    return False


def _insertion(imports: _Imports, requirement: Requirement, offset: int) -> Edit | None:
    statement = requirement.statement
    anchor = _torch_import(imports, offset)
    if anchor is not None:
        return _after(imports.source, anchor, statement)
    if not requirement.by_name:
        return None
    return _at_top(imports.source, statement)


def _torch_import(imports: _Imports, offset: int) -> Node | None:
    """The import of torch (or torch_npu) after which another belongs, for text at a byte offset.

    The first at module level; else one inside a module-level ``try`` or ``if``; else one in a function
    around the offset; else, for an annotation, one for types only.
    """
    if imports.outermost is not None:
        return imports.outermost
    around = [node for node in imports.statements if _holds(scope_of(node), offset)]
    if not around and _is_annotation(imports.source, offset):
        return next((binding.statement for binding in imports.anchors), None)
    return around[-1] if around else None


def _is_annotation(source: SourceFile, offset: int) -> bool:
    node = source.node_at(offset, offset + 1)
    return node is not None and enclosing(node, "type") is not None


def _holds(scope: Node, offset: int) -> bool:
    return scope.start_byte <= offset < scope.end_byte


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
