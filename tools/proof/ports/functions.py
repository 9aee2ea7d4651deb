"""The functions of a file, by their lines."""

from __future__ import annotations

import ast
from pathlib import Path


def spans(path: Path) -> list[tuple[int, int]]:
    """The first and the last line of each function; none of a file that is not Python of today."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError):
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        (node.lineno, node.end_lineno or node.lineno) for node in ast.walk(tree) if isinstance(node, kinds)
    ]
