"""From parts to one module: their imports once, their helpers once, nothing that is not used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PARTS = Path(__file__).parent / "parts"
_HEADER = "# Made by gpu2ascend from its parts: "
_HEADER_LINE = re.compile(rf"^{_HEADER}([a-z0-9_, ]+)$", re.MULTILINE)
_IGNORE = "# gpu2ascend: ignore-file"
_DOCSTRING = '''"""Equivalents, in forward and backward, of APIs that torch_npu lacks in some releases.

Each has the signature of the API that it stands in for. README.md, beside this file, says how the package
is found.
"""
'''


class UnknownPartError(ValueError):
    """A part is asked for that does not exist."""


class _SourcePart(NamedTuple):
    """One source, taken apart."""

    needs: tuple[str, ...]
    """The parts that it imports."""
    imports: tuple[str, ...]
    """Its other imports, in their order; an import in a ``try`` belongs to the body."""
    body: str


def assemble(parts: Iterable[str]) -> str:
    """The text of a module that defines what these parts define.

    Raises:
        UnknownPartError: there is no such part.
    """
    asked = sorted(set(parts))
    used = [_part(name) for name in _in_order(asked)]
    imports = sorted({line for part in used for line in part.imports})
    head = f"{_IGNORE}\n{_HEADER}{', '.join(asked)}\n{_DOCSTRING}\n" + "\n".join(imports)
    return "\n\n\n".join([head, *(part.body for part in used)]) + "\n"


def parts_of(text: str) -> frozenset[str]:
    """The parts that a module of ours was assembled from; none if it is not ours."""
    found = _HEADER_LINE.search(text)
    known = part_names()
    return frozenset(name for name in found[1].split(", ") if name in known) if found else frozenset()


def is_ours(text: str) -> bool:
    """Whether a module was assembled here."""
    return _HEADER_LINE.search(text) is not None


@cache
def part_names() -> frozenset[str]:
    """All parts."""
    return frozenset(path.stem for path in _PARTS.glob("[a-z]*.py"))


def _in_order(names: Iterable[str]) -> dict[str, None]:
    """The parts with those that they need, each after what it needs."""
    order: dict[str, None] = {}
    for name in names:
        order.update(_in_order(_part(name).needs))
        order[name] = None
    return order


@cache
def _part(name: str) -> _SourcePart:
    if name not in part_names():
        raise UnknownPartError(name)
    text = (_PARTS / f"{name}.py").read_text(encoding="utf-8")
    lines = text.splitlines()
    needs: list[str] = []
    imports: list[str] = []
    first = 0
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.ImportFrom) and statement.level:
            needs.append(statement.module or "")
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            imports += _lines(lines, statement)
        elif not isinstance(statement, ast.Expr):
            break
        first = statement.end_lineno or first
    return _SourcePart(tuple(needs), tuple(imports), "\n".join(lines[first:]).strip("\n"))


def _lines(lines: list[str], statement: ast.stmt) -> Iterator[str]:
    yield "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
