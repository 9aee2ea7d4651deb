"""Programs that differ from one in a statement: each lacks something that a codemod might take for granted.

A codemod that is made for a form of program meets all the programs that nearly have it. They are made from a
sample: without one of its statements, or with two of them in the other order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple


class Neighbour(NamedTuple):
    """A program, and in what it differs."""

    difference: str
    text: str


def without_each(text: str, *, outermost: bool = False) -> Iterator[Neighbour]:
    """The program without one of its statements; a block that had no other gets ``pass``."""
    lines = text.splitlines(keepends=True)
    for block in (*([_outermost(text)] if outermost else []), *_blocks(text)):
        for statement in block:
            start, end = _span(statement)
            indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
            instead = [f"{indent}pass\n"] if len(block) == 1 else []
            yield Neighbour(f"without {_shown(lines, start)}", _joined(lines, start, end, instead))


def turned_each(text: str) -> Iterator[Neighbour]:
    """The program with two statements of a block that follow each other in the other order."""
    lines = text.splitlines(keepends=True)
    for block in _blocks(text):
        for one, other in pairwise(block):
            (start, middle), (second, end) = _span(one), _span(other)
            turned = [*lines[second:end], *lines[middle:second], *lines[start:middle]]
            difference = f"{_shown(lines, second)} before {_shown(lines, start)}"
            yield Neighbour(difference, _joined(lines, start, end, turned))


def _outermost(text: str) -> Sequence[ast.stmt]:
    """The statements of the module, without imports and definitions."""
    others = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
    return [item for item in ast.parse(text).body if not isinstance(item, others)]


def _blocks(text: str) -> Iterator[Sequence[ast.stmt]]:
    """The statements of each block but the outermost, without docstrings and the definitions in classes."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.For | ast.While | ast.If | ast.With):
            yield [item for item in node.body if not _is_text(item)]


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _span(statement: ast.stmt) -> tuple[int, int]:
    """The lines of a statement, the first from 0 and the one behind the last."""
    assert statement.end_lineno is not None
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(item.lineno for item in decorators)]) - 1, statement.end_lineno


def _shown(lines: Sequence[str], at: int) -> str:
    return f"{at + 1}: `{lines[at].strip()}`"


def _joined(lines: Sequence[str], start: int, end: int, instead: Sequence[str]) -> str:
    return "".join([*lines[:start], *instead, *lines[end:]])
