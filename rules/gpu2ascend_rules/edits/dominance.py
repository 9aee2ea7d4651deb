"""Whether a statement has run by the time that a place in the text does, as far as the text shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node

from ..text.source_file import SourceFile
from ..text.syntax import Enclosing, field, same, text_of

_BLOCKS = frozenset({"block", "module"})
_IMPORTS = frozenset({"import_statement", "import_from_statement"})
_SCOPES = frozenset({"function_definition", "lambda", "class_definition"})
_HOLDS_ON_THE_NPU = re.compile(r"(?<![a-z])npu(?![a-z])|_npu\b|\bnpu_|ascend", re.I)
_DENIES = re.compile(r"\bnot\b|!=|\bis None\b|\bor\b")
_HARMLESS = ("torch", "torch_npu")


class Use(NamedTuple):
    """A place in the text whose names must be bound when it runs."""

    offset: int
    blocks: tuple[tuple[int, int], ...]
    """The blocks around it, innermost first, each with where the statement in it begins that holds the place;
    in a block of a function further out, or of the module around a function, any place comes before."""
    functions: tuple[Node, ...]
    """The functions whose names it sees, innermost first."""
    class_body: Node | None
    """The class of which it stands in the body itself."""
    top: int
    """Where the module's statement begins that holds it."""


class Statements:
    """Some statements of a file, by the block they stand in."""

    def __init__(self, nodes: Iterable[Node], *, lifted: bool = False) -> None:
        self._first: dict[int, Node] = {}
        """By block its first such statement."""
        for node in nodes:
            self._add(node)
            if lifted:
                self._add_around(node)

    def _add(self, statement: Node) -> None:
        block = statement.parent
        if block is not None:
            known = self._first.get(block.id)
            if known is None or statement.start_byte < known.start_byte:
                self._first[block.id] = statement

    def _add_around(self, statement: Node) -> None:
        """Of what runs wherever there is an NPU, the statements around it run, too."""
        holder = _certain_holder(statement)
        while holder is not None:
            self._add(holder)
            holder = _certain_holder(holder)

    def dominating(self, use: Use) -> Node | None:
        """One of them that has run before a place does, of the outermost block in which there is one."""
        for block, limit in reversed(use.blocks):
            first = self._first.get(block)
            if first is not None and first.start_byte < limit:
                return first
        return None

    def has_beside(self, statement: Node) -> bool:
        """Whether one of them stands in a statement's own block."""
        return statement.parent is not None and statement.parent.id in self._first


def end_of(source: SourceFile) -> Use:
    """Behind all that a module does."""
    end = len(source.data) + 1
    return Use(end, ((source.root.id, end),), (), None, end)


def use_at(source: SourceFile, offset: int) -> Use:
    """What is around a byte offset."""
    found = _Climb(len(source.data) + 1, offset)
    node = source.node_at(offset, offset + 1)
    ways = source.once(use_at, lambda: Enclosing("module", *_BLOCKS, *_SCOPES))
    way = ways.on_the_way(node) if node is not None else None
    while way is not None:
        found.step(*way)
        way = ways.on_the_way(way[1])
    return Use(offset, tuple(found.blocks), tuple(found.functions), found.class_body, found.top)


class _Climb:
    """What is met on the way from a place to the module."""

    def __init__(self, end: int, offset: int) -> None:
        self.blocks: list[tuple[int, int]] = []
        self.functions: list[Node] = []
        self.class_body: Node | None = None
        self.top = offset
        self._end = end
        self._is_deferred = False
        self._of_scope: list[tuple[int, int]] = []
        """The blocks since the last scope."""

    def step(self, child: Node, parent: Node) -> None:
        """Go from a node to the one around it."""
        if parent.type in _BLOCKS:
            # What is around a function has run when it is called.
            self._of_scope.append((parent.id, self._end if self._is_deferred else child.start_byte))
        if parent.type == "module":
            self.top = child.start_byte
            self._leave_scope(is_seen=True)
        elif parent.type in _SCOPES and same(field(parent, "body"), child):
            if parent.type == "class_definition":
                is_direct = not self._is_deferred and self.class_body is None
                self.class_body = parent if is_direct else self.class_body
                self._leave_scope(is_seen=is_direct)
            else:
                self._is_deferred = True
                self._leave_scope(is_seen=True)
                if parent.type == "function_definition":
                    self.functions.append(parent)

    def _leave_scope(self, *, is_seen: bool) -> None:
        """A function does not see the names of the classes around it."""
        if is_seen:
            self.blocks += self._of_scope
        self._of_scope = []


def _certain_holder(statement: Node) -> Node | None:
    """The ``try`` or ``if`` around a statement, where the statement runs if there is an NPU."""
    block = statement.parent
    holder = block.parent if block is not None and block.type == "block" else None
    if holder is None or block is None:
        return None
    if holder.type == "try_statement":
        return holder if all(_is_harmless(item) for item in _before(statement, block)) else None
    if holder.type != "if_statement" or not same(field(holder, "consequence"), block):
        return None
    condition = field(holder, "condition")
    text = text_of(condition) if condition is not None else ""
    return holder if _HOLDS_ON_THE_NPU.search(text) and not _DENIES.search(text) else None


def _before(statement: Node, block: Node) -> Iterable[Node]:
    return (item for item in block.named_children if item.start_byte < statement.start_byte)


def _is_harmless(statement: Node) -> bool:
    """An import of torch, or of its NPU side, does not fail where the program can run."""
    if statement.type == "comment":
        return True
    if statement.type not in _IMPORTS:
        return False
    module = field(statement, "module_name")
    names = [module] if module is not None else statement.children_by_field_name("name")
    roots = (re.split(r"[.\s]", text_of(name), maxsplit=1)[0] for name in names)
    return all(root in _HARMLESS for root in roots)
