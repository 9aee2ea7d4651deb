"""What a refactoring is, and the words that it is made for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from ..marked import Files, number_in

MAIN = "train.py"


class Program:
    """A module with marked words, and its tree with the parents of its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.parents: dict[ast.AST, ast.AST] = {
            child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)
        }

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line.encode()) + 1)
        return starts

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends, in characters."""
        start, end = (
            self._starts[line - 1] + column
            for line, column in (
                (getattr(node, "lineno"), getattr(node, "col_offset")),  # noqa: B009 - not of every node
                (getattr(node, "end_lineno"), getattr(node, "end_col_offset")),  # noqa: B009
            )
        )
        data = self.text.encode()
        return len(data[:start].decode()), len(data[:end].decode())

    def source(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    @cached_property
    def imports(self) -> list[str]:
        """The import statements at the top of the module, one a line."""
        kinds = (ast.Import, ast.ImportFrom)
        return [self.source(item) for item in self.tree.body if isinstance(item, kinds)]

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that these bind."""
        kinds = (ast.Import, ast.ImportFrom)
        aliases = [alias for item in self.tree.body if isinstance(item, kinds) for alias in item.names]
        return frozenset((alias.asname or alias.name).partition(".")[0] for alias in aliases)

    def replaced(self, node: ast.AST, new: str, top: str = "") -> str:
        """The module with other text for a node, and statements before its first one that is no import."""
        start, end = self.span(node)
        text = self.text[:start] + new + self.text[end:]
        return _with_top(text, top) if top else text


class Target(NamedTuple):
    """A word of a program."""

    program: Program
    node: ast.Constant

    @property
    def literal(self) -> str:
        """The string literal as written."""
        return self.program.source(self.node)


class Refactoring(NamedTuple):
    """One way to write the same program."""

    name: str
    apply: Callable[[Target], Files | None]
    """The files of the project; None where the word does not stand in a place that it is for."""


def targets_of(marked: str) -> Iterator[Target]:
    """The words of a module that an expression can take the place of."""
    program = Program(marked)
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_replaceable(program, node):
            yield Target(program, node)


def _is_replaceable(program: Program, node: ast.Constant) -> bool:
    if number_in(str(node.value)) is None:
        return False
    for outer in program.around(node):
        if isinstance(outer, (ast.JoinedStr, ast.match_case)) or _is_annotation(program, outer, node):
            return False
        if isinstance(outer, (ast.Call, ast.Subscript)) and program.parents[node] is outer:
            name = program.source(outer.func if isinstance(outer, ast.Call) else outer.value)
            if name.rpartition(".")[2] in ("Literal", "getattr", "hasattr", "setattr"):
                return False
    start, _ = program.span(node)
    return program.text[start : start + 1] in ("'", '"')


def _is_annotation(program: Program, outer: ast.AST, node: ast.AST) -> bool:
    """Whether a word is part of a type, where only a literal may stand."""
    holder = program.parents.get(outer)
    return outer in (getattr(holder, "annotation", None), getattr(holder, "returns", None))


def _with_top(text: str, top: str) -> str:
    """A module with a statement behind its imports and its doc string."""
    lines, last = text.split("\n"), 0
    for number, item in enumerate(ast.parse(text).body):
        is_doc = number == 0 and isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
        if not is_doc and not isinstance(item, (ast.Import, ast.ImportFrom)):
            break
        last = item.end_lineno or last
    return "\n".join([*lines[:last], top, *lines[last:]])
