"""Holds the length of files, and the ways through functions of the product: ``python -m tools.complexity``.

Ways are counted as McCabe does, with what ruff's C901 leaves out: comprehensions, their conditions, and each
``and`` and ``or``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST = 15
MOST_LINES = 400
ROOT = Path(__file__).parents[1]
PACKAGES = (
    "rules/gpu2ascend_rules",
    "rules/gpu2ascend_mindspore",
    "server/gpu2ascend",
    "server/gpu2ascend_simulator",
)
HELD_SHORT = (*PACKAGES, "tests", "tools")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)


def ways_through(function: _Function) -> int:
    """How many ways lead through a function; functions and classes within it count for themselves."""
    return 1 + sum(map(_decisions, _own_nodes(function)))


def _decisions(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, _BRANCHES))


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, _Function | ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def functions_of(text: str) -> Iterator[tuple[str, int]]:
    """The functions of a module, by their qualified names, with their ways."""

    def below(node: ast.AST, prefix: str) -> Iterator[tuple[str, int]]:
        for child in ast.iter_child_nodes(node):
            name = f"{prefix}{child.name}" if isinstance(child, _Function | ast.ClassDef) else ""
            if isinstance(child, _Function):
                yield name, ways_through(child)
            yield from below(child, f"{name}." if name else prefix)

    yield from below(ast.parse(text), "")


def over_the_limit(root: Path = ROOT) -> dict[str, int]:
    """Each function of the product with too many ways, as ``path:name``."""
    return {
        f"{path.relative_to(root).as_posix()}:{name}": count
        for path in _files(root, PACKAGES)
        for name, count in functions_of(path.read_text(encoding="utf-8"))
        if count > MOST
    }


def too_long(root: Path = ROOT) -> dict[str, int]:
    """Each file of the product, its tests and tools with too many lines."""
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in _files(root, HELD_SHORT)}
    return {path.relative_to(root).as_posix(): count for path, count in lines.items() if count > MOST_LINES}


def _files(root: Path, packages: Iterable[str]) -> list[Path]:
    return [path for package in packages for path in sorted((root / package).rglob("*.py"))]


def main() -> int:
    """Check all files; 1 with the functions that have too many ways, and the files with too many lines."""
    found = [f"{name}: {count} ways, at most {MOST}" for name, count in over_the_limit().items()]
    found += [f"{path}: {count} lines, at most {MOST_LINES}" for path, count in too_long().items()]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
