"""Where the imports go that new text needs: where they have run before it does, and never in its way."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from functools import cached_property

from tree_sitter import Node

from ..limits.parents import parent_of, parent_type
from ..model.finding import Edit, Requirement
from ..text.dynamic.dynamic_imports import TORCH, called_imports
from ..text.guards import is_for_types
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import enclosing, field, parts_of, same, text_of
from .dominance import Nearest, Statements, Use, end_of, use_at

_ANCHORS = frozenset({TORCH, "torch_npu"})
"""What a fix has made an import from torch_npu stays an anchor: the order of fixes must not matter."""
WHOLE_MODULE = -1
"""The offset of what is needed once the module has run, wherever that is in the text."""
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})


def import_edits(source: SourceFile, needs: Iterable[tuple[Requirement, int]]) -> tuple[Edit, ...]:
    """The insertions that satisfy what the text at some byte offsets needs, each import once a place."""
    wanted: dict[Edit, None] = {}
    imports = _imports_of(source)
    for requirement, offset in sorted(needs, key=lambda need: (need[0].target, need[1])):
        wanted.update(dict.fromkeys(imports.insertions(requirement, offset)))
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


class _Bringers:
    """The imports of a file that bring what one requirement asks for."""

    def __init__(self, source: SourceFile, requirement: Requirement) -> None:
        # ``from torch_npu.profiler import profile`` loads torch_npu, too, but another fix may have
        # put it there: counting it, the import would depend on the order in which fixes are made.
        found = [
            binding
            for binding in source.names.imports_of(requirement.target.partition(".")[0])
            if binding.target == requirement.target or _loads(binding, requirement.target)
        ]
        if requirement.by_name:
            local = _local_name(found, requirement, source)
            found = [binding for binding in found if binding.name == local]
        executed = [binding for binding in found if not is_for_types(binding.statement, source)]
        self.has_some = bool(found)
        self.certain = Statements((item.statement for item in executed), lifted=True)
        self.statements = Statements(item.statement for item in executed)
        self.types_only = {item.scope.id for item in found if is_for_types(item.statement, source)}
        self.scopes = {item.scope.id for item in executed}
        """The scopes in which the name is bound, so that their code does not see one from further out."""
        self.owners = Nearest(self.scopes)


def _local_name(found: Iterable[Binding], requirement: Requirement, source: SourceFile) -> str:
    """What the new text calls what it needs: as the module's scope does, else by its own name."""
    root = source.root.id
    names = (item.name for item in found if item.scope.id == root and requirement.name is None)
    return next(names, requirement.name or requirement.module.partition(".")[0])


class _Imports:
    """The imports of a file by module and scope, so that only those around a place are looked at for it."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self._bringers: dict[Requirement, _Bringers] = {}
        self._edits: dict[tuple[int, str], Edit] = {}
        """By the statement that an insertion goes to, and what it imports."""
        self._statements: dict[int, Statements] = {}
        """By the first of some imports of torch."""
        self._everywhere: dict[tuple[Requirement, int], tuple[Edit, ...]] = {}

    def insertions(self, requirement: Requirement, offset: int) -> tuple[Edit, ...]:
        """The edits that import what text at an offset needs; none where it is there."""
        bringers = self._bringers.get(requirement)
        if bringers is None:
            bringers = self._bringers[requirement] = _Bringers(self.source, requirement)
        use = end_of(self.source) if offset == WHOLE_MODULE else use_at(self.source, offset)
        if bringers.has_some and self._is_satisfied(requirement, bringers, use):
            return ()
        owner = bringers.owners.of(use)
        if owner is not None and requirement.by_name:
            # The name is the function's own, so that an import of the module is not seen here.
            return self._in_function(requirement, bringers, owner, use)
        return self._by_anchors(requirement, bringers, use)

    def _is_satisfied(self, requirement: Requirement, bringers: _Bringers, use: Use) -> bool:
        if bringers.certain.dominating(use) is not None:
            return True
        if bringers.types_only and _is_annotation(self.source, use.offset):
            return True
        if requirement.by_name:
            return False
        return self.source.root.id in bringers.scopes or bringers.owners.of(use) is not None

    def _by_anchors(self, requirement: Requirement, bringers: _Bringers, use: Use) -> tuple[Edit, ...]:
        """An import behind the import of torch that has run by then; if none must have, behind each."""
        plain = self._first_plain
        local = self._owners.of(use)
        if plain is not None and plain.start_byte < use.top:
            return (self._behind(plain, requirement),)
        if use.class_body is not None and use.class_body.id in self._by_scope:
            anchors = self._by_scope[use.class_body.id]
            if anchors[0].start_byte < use.offset:
                return self._behind_those(anchors, requirement, bringers, use)
        if local is not None:
            return self._in_function(requirement, bringers, local, use)
        return self._by_those_of_module(requirement, bringers, use)

    def _by_those_of_module(
        self, requirement: Requirement, bringers: _Bringers, use: Use
    ) -> tuple[Edit, ...]:
        """An import behind one of the module, which need not have run by then."""
        is_late = use.owner is not None or not requirement.by_name
        if self._first_plain is not None and is_late:
            return (self._behind(self._first_plain, requirement),)
        anchors = self._by_scope.get(self.source.root.id, [])
        if anchors and (is_late or anchors[0].start_byte < use.offset):
            return self._behind_those(anchors, requirement, bringers, use)
        if self._of_types and _is_annotation(self.source, use.offset):
            return (self._behind(self._of_types[0], requirement),)
        return (self._at_top(requirement),) if requirement.by_name else ()

    def _in_function(
        self, requirement: Requirement, bringers: _Bringers, function: Node, use: Use
    ) -> tuple[Edit, ...]:
        """An import in a function: behind its own imports of torch, or as the first that it does."""
        anchors = self._by_scope.get(function.id, [])
        is_direct = use.owner is not None and use.owner.node.id == function.id
        if anchors and (not is_direct or anchors[0].start_byte < use.offset):
            return self._behind_those(anchors, requirement, bringers, use)
        edit = _at_start(self.source, function, requirement.statement)
        return (edit,) if edit is not None else ()

    def _behind_those(
        self, anchors: list[Node], requirement: Requirement, bringers: _Bringers, use: Use
    ) -> tuple[Edit, ...]:
        key = (requirement, self.source.names.scope_of(anchors[0]).id)
        dominating = self._statements_of(anchors).dominating(use)
        if dominating is not None:
            return (self._behind(dominating, requirement),)
        if key not in self._everywhere:
            self._everywhere[key] = tuple(
                self._behind(anchor, requirement)
                for anchor in self._first_of_blocks(anchors)
                if not bringers.statements.has_in_block(anchor)
            )
        return self._everywhere[key]

    def _statements_of(self, anchors: list[Node]) -> Statements:
        key = anchors[0].id
        if key not in self._statements:
            self._statements[key] = Statements(anchors)
        return self._statements[key]

    def _first_of_blocks(self, anchors: list[Node]) -> Iterator[Node]:
        """Those before which none of the others has run."""
        statements = self._statements_of(anchors)
        for anchor in anchors:
            if statements.dominating(use_at(self.source, anchor.start_byte)) is None:
                yield anchor

    def _behind(self, anchor: Node, requirement: Requirement) -> Edit:
        key = (anchor.id, requirement.statement)
        if key not in self._edits:
            self._edits[key] = _after(self.source, anchor, requirement.statement)
        return self._edits[key]

    def _at_top(self, requirement: Requirement) -> Edit:
        key = (self.source.root.id, requirement.statement)
        if key not in self._edits:
            self._edits[key] = _at_top(self.source, requirement.statement)
        return self._edits[key]

    @cached_property
    def _anchors(self) -> list[Node]:
        """The statements that import torch, or from torch_npu, and the calls that do, in text order."""
        found = {
            item.statement.id: item.statement
            for item in self.source.names.imports
            if item.target.partition(".")[0] in _ANCHORS
        }
        found.update((node.id, node) for node in called_imports(self.source))
        return sorted(found.values(), key=lambda node: node.start_byte)

    @cached_property
    def _by_scope(self) -> dict[int, list[Node]]:
        """Those that are executed, by the function, class or module that they are in."""
        scopes: dict[int, list[Node]] = {}
        for anchor in self._anchors:
            if not is_for_types(anchor, self.source):
                scopes.setdefault(self.source.names.scope_of(anchor).id, []).append(anchor)
        return scopes

    @cached_property
    def _owners(self) -> Nearest:
        return Nearest(self._by_scope)

    @cached_property
    def _of_types(self) -> list[Node]:
        return [anchor for anchor in self._anchors if is_for_types(anchor, self.source)]

    @cached_property
    def _first_plain(self) -> Node | None:
        """The first of the module's own, which nothing decides over."""
        of_module = self._by_scope.get(self.source.root.id, [])
        root = self.source.root
        return next((anchor for anchor in of_module if same(parent_of(anchor), root)), None)


def _loads(binding: Binding, module: str) -> bool:
    """Whether an ``import`` loads a module of several parts under its own name."""
    is_plain = binding.node.type == "dotted_name" and binding.statement.type == "import_statement"
    return is_plain and "." in module and f"{text_of(binding.node)}.".startswith(f"{module}.")


def _is_annotation(source: SourceFile, offset: int) -> bool:
    node = source.node_at(offset, offset + 1)
    return node is not None and enclosing(node, "type") is not None


def _after(source: SourceFile, statement: Node, text: str) -> Edit:
    line = source.lines.line_of(max(statement.start_byte, statement.end_byte - 1))
    end = source.lines.line_span(line)[1]
    first = source.lines.line_span(source.lines.line_of(statement.start_byte))[0]
    indent = source.slice(first, statement.start_byte).replace("\f", "")
    is_at_module_level = parent_type(statement) == "module"
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


def _at_start(source: SourceFile, function: Node, text: str) -> Edit | None:
    """Before the first statement of a function, its docstring aside."""
    body = field(function, "body")
    statements = parts_of(body) if body is not None else []
    first = next((item for item in statements if not _is_docstring(item)), None)
    if first is None:
        return None
    line = source.lines.line_span(source.lines.line_of(first.start_byte))[0]
    indent = source.slice(line, first.start_byte)
    between = "; " if indent.strip() else f"{source.newline}{indent}"
    return Edit(first.start_byte, first.start_byte, text + between)


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
