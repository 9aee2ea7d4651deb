"""A module of the user's as a transformation sees it: its tree, and what its names mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider, QualifiedNameProvider

from ...model.finding import Message
from ..codemod import Declined

Block: TypeAlias = cst.Module | cst.IndentedBlock
"""What holds a list of statements."""
_Node = TypeVar("_Node", bound=cst.CSTNode)


class AlreadyMixed(Declined):
    """Mixed precision is in use already, by what is called ``name``."""

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        super().__init__(Message.of("amp.enable.declined.already", name=name), line)


class Module:
    """A parsed module with the names of its parts resolved."""

    def __init__(self, text: str) -> None:
        """Parse. Raises libcst.ParserSyntaxError: the text is no Python."""
        self._wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.tree = self._wrapper.module
        self._names = self._wrapper.resolve(QualifiedNameProvider)
        self._positions = self._wrapper.resolve(PositionProvider)
        self._parents = self._wrapper.resolve(ParentNodeProvider)
        self._children: dict[cst.CSTNode, list[cst.CSTNode]] = {}
        for node, parent in self._parents.items():
            self._children.setdefault(parent, []).append(node)

    def code(self, node: cst.CSTNode) -> str:
        """A node as it is written, without the comments before it."""
        return self.tree.code_for_node(node)

    def name(self, node: cst.CSTNode) -> str | None:
        """The qualified name of what an expression names; of a call, of what is called."""
        if isinstance(node, cst.Call):
            node = node.func
        names = self._names.get(node, ())
        values = {item.name for item in (names() if callable(names) else names)}
        return values.pop() if len(values) == 1 else None

    def line(self, node: cst.CSTNode) -> int:
        """The line that a node begins in, from 1."""
        return self._positions[node].start.line

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around a node."""
        return self._parents.get(node)

    def is_label(self, node: cst.CSTNode) -> bool:
        """Whether a name is only that of an attribute or a keyword: the ``scaler`` of ``self.scaler``."""
        parent = self.parent(node)
        return (isinstance(parent, cst.Attribute) and parent.attr is node) or (
            isinstance(parent, cst.Arg) and parent.keyword is node
        )

    def free_name(self, wanted: str) -> str:
        """A name that the module does not have."""
        names = {node.value for node in self.find(cst.Name)}
        number, name = 1, wanted
        while name in names:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def around(self, node: cst.CSTNode, kind: type[_Node]) -> _Node | None:
        """The nearest node of a kind around a node."""
        at = self.parent(node)
        while at is not None and not isinstance(at, kind):
            at = self.parent(at)
        return at

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The function that a node is in."""
        return self.around(node, cst.FunctionDef)

    def find(self, kind: type[_Node], within: cst.CSTNode | None = None) -> Iterator[_Node]:
        """Every node of a kind, in the order of the text."""
        stack: list[cst.CSTNode] = [within or self.tree]
        while stack:
            node = stack.pop()
            if isinstance(node, kind):
                yield node
            stack.extend(reversed(self._children_of(node)))

    def _children_of(self, node: cst.CSTNode) -> Sequence[cst.CSTNode]:
        """The nodes right below a node of this module or of another; LibCST visits the node to list them."""
        known = self._children.get(node)
        return known or (() if node in self._parents else node.children)

    def statement(self, node: cst.CSTNode) -> cst.SimpleStatementLine | None:
        """The line of simple statements that a node is a part of."""
        if isinstance(node, cst.SimpleStatementLine):
            return node
        return self.around(node, cst.SimpleStatementLine)

    def blocks(self, node: cst.CSTNode) -> list[tuple[Block, int]]:
        """The lists of statements around a node, outermost first, each with the place in it."""
        found: list[tuple[Block, int]] = []
        at = node
        while (parent := self.parent(at)) is not None:
            body = getattr(parent, "body", None)
            if isinstance(parent, (cst.Module, cst.IndentedBlock)) and isinstance(body, Sequence):
                found.append((parent, next(i for i, item in enumerate(body) if item is at)))
            at = parent
        return found[::-1]


def argument(call: cst.Call, position: int | None, keyword: str) -> cst.BaseExpression | None:
    """An argument of a call, by its place or its name."""
    for index, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value == keyword:
            return arg.value
        if arg.keyword is None and not arg.star and index == position:
            return arg.value
    return None


def is_true(node: cst.BaseExpression | None) -> bool:
    """Whether a condition is absent or ``True``."""
    return node is None or (isinstance(node, cst.Name) and node.value == "True")
