"""Whether a statement has run by the time that a place in the text does, as far as the text shows."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from ..text.climbing import Enclosing
from ..text.source_file import SourceFile
from ..text.syntax import OWN_SCOPES, field, same, text_of

_BLOCKS = frozenset({"block", "module"})
_IMPORTS = frozenset({"import_statement", "import_from_statement"})
_SCOPES = frozenset(OWN_SCOPES)
_HOLDS_ON_THE_NPU = re.compile(r"(?<![a-z])npu(?![a-z])|_npu\b|\bnpu_|ascend", re.I)
_DENIES = re.compile(r"\bnot\b|!=|\bis None\b|\bor\b")
_HARMLESS = ("torch", "torch_npu")


class Level:
    """A block around a place, which all places of one of its statements share."""

    __slots__ = ("block", "limit", "outer")

    def __init__(self, block: int, limit: int, outer: Level | None) -> None:
        self.block = block
        self.limit = limit
        """Where the statement in it begins that holds the place; in a block of a function further out, or of
        the module around a function, any place comes before."""
        self.outer = outer


class Owner:
    """A function around a place, whose names it sees."""

    __slots__ = ("node", "outer")

    def __init__(self, node: Node, outer: Owner | None) -> None:
        self.node = node
        self.outer = outer


class _Around(NamedTuple):
    """What is around a statement of a block, or around the body of a scope."""

    level: Level | None
    """The innermost block."""
    owner: Owner | None
    """The innermost function."""
    class_body: Node | None
    top: int | None
    is_seen: bool
    """Whether the names of the scope are seen: a function does not see those of the classes around it."""


_NOTHING = _Around(None, None, None, None, False)


class Use(NamedTuple):
    """A place in the text whose names must be bound when it runs."""

    offset: int
    level: Level | None
    """The innermost block around it."""
    owner: Owner | None
    """The innermost function whose names it sees."""
    class_body: Node | None
    """The class of which it is in the body itself."""
    top: int
    """Where the module's statement begins that holds it."""


class Nearest:
    """The innermost of some functions around places; each function is asked about once."""

    def __init__(self, functions: Container[int]) -> None:
        self._functions = functions
        self._known: dict[Owner, Node | None] = {}

    def of(self, use: Use) -> Node | None:
        """The innermost one around a place."""
        passed: list[Owner] = []
        owner, found = use.owner, None
        while owner is not None:
            if owner in self._known:
                found = self._known[owner]
                break
            passed.append(owner)
            if owner.node.id in self._functions:
                found = owner.node
                break
            owner = owner.outer
        self._known.update(dict.fromkeys(passed, found))
        return found


class Statements:
    """Some statements of a file, by the block they are in."""

    def __init__(self, nodes: Iterable[Node], *, lifted: bool = False) -> None:
        self._first: dict[int, Node] = {}
        """By block its first such statement."""
        self._known: dict[Level, Node | None] = {}
        for node in nodes:
            self._add(node)
            if lifted:
                self._add_around(node)

    def _add(self, statement: Node) -> None:
        block = parent_of(statement)
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
        passed: list[Level] = []
        level = use.level
        while level is not None and level not in self._known:
            passed.append(level)
            level = level.outer
        found = self._known[level] if level is not None else None
        for level in reversed(passed):
            first = self._first.get(level.block)
            if found is None and first is not None and first.start_byte < level.limit:
                found = first
            self._known[level] = found
        return found

    def has_in_block(self, statement: Node) -> bool:
        """Whether one of them is in a statement's own block."""
        block = parent_of(statement)
        return block is not None and block.id in self._first


def end_of(source: SourceFile) -> Use:
    """Behind all that a module does."""
    end = len(source.data) + 1
    return Use(end, Level(source.root.id, end, None), None, None, end)


def use_at(source: SourceFile, offset: int) -> Use:
    """What is around a byte offset.

    The end of a statement is in what the statement is in, and a place between those of a module is the
    module's: no node of the tree is there.
    """
    surroundings = source.once(use_at, lambda: _Surroundings(len(source.data) + 1))
    around = surroundings.of(source.node_at(offset, offset + 1))
    if around.level is None and offset:
        if source.data[offset - 1 : offset].isspace():
            return Use(offset, Level(source.root.id, offset, None), None, None, offset)
        around = surroundings.of(source.node_at(offset - 1, offset))
    top = around.top if around.top is not None else offset
    return Use(offset, around.level, around.owner, around.class_body, top)


class _Step(NamedTuple):
    """One step from a place to the module: out of a block's statement, or of a part of a scope."""

    child: Node
    parent: Node
    is_deferred: bool
    """Whether a function has been left before: what is around it has run when it is called."""
    has_class: bool
    """Whether the class is known of which the place is in the body itself."""

    @property
    def key(self) -> tuple[int, bool, bool]:
        return self.child.id, self.is_deferred, self.has_class

    @property
    def is_of_body(self) -> bool:
        """Whether it leaves the body of a scope."""
        return self.parent.type in _SCOPES and same(field(self.parent, "body"), self.child)

    @property
    def is_of_class(self) -> bool:
        """Whether it leaves the body of a class by whose names the place goes."""
        return self.parent.type == "class_definition" and not self.is_deferred and not self.has_class


class _Surroundings:
    """What is around the places of a file, each statement on the way looked at once."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._ways = Enclosing("module", *_BLOCKS, *_SCOPES)
        self._known: dict[tuple[int, bool, bool], _Around] = {}

    def of(self, node: Node | None) -> _Around:
        """What is around a node."""
        passed: list[_Step] = []
        found = _NOTHING
        is_deferred = has_class = False
        while node is not None and (way := self._ways.on_the_way(node)) is not None:
            step = _Step(*way, is_deferred, has_class)
            if step.key in self._known:
                found = self._known[step.key]
                break
            passed.append(step)
            if step.is_of_body:
                has_class = has_class or step.is_of_class
                is_deferred = is_deferred or step.parent.type != "class_definition"
            node = step.parent
        for step in reversed(passed):
            found = self._known[step.key] = self._inside(step, found)
        return found

    def _inside(self, step: _Step, outer: _Around) -> _Around:
        """What is around the child of a step, by what is around its parent."""
        child, parent = step.child, step.parent
        if parent.type in _BLOCKS:
            is_module = parent.type == "module"
            if not (is_module or outer.is_seen):
                return outer
            limit = self._end if step.is_deferred else child.start_byte
            level = Level(parent.id, limit, outer.level)
            top = child.start_byte if is_module else outer.top
            return outer._replace(level=level, top=top, is_seen=True)
        if not step.is_of_body:
            return outer
        if parent.type == "class_definition":
            class_body = parent if step.is_of_class else outer.class_body
            return outer._replace(class_body=class_body, is_seen=step.is_of_class)
        if parent.type == "lambda":
            return outer._replace(is_seen=True)
        return outer._replace(owner=Owner(parent, outer.owner), is_seen=True)


def _certain_holder(statement: Node) -> Node | None:
    """The ``try`` or ``if`` around a statement, where the statement runs if there is an NPU."""
    block = parent_of(statement)
    holder = parent_of(block) if block is not None and block.type == "block" else None
    if holder is None or block is None:
        return None
    if holder.type == "try_statement":
        return holder if all(_is_harmless(item) for item in _before(statement, block)) else None
    if holder.type != "if_statement" or not same(field(holder, "consequence"), block):
        return None
    condition = field(holder, "condition")
    text = text_of(condition)
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
