"""Rows of a table of correspondences as a reader understands them: Python, without the table's own words."""

from __future__ import annotations

import ast
import re

from .entry import value_function
from .values import VALUES, Refused

_KIND = re.compile(r": (?!(?:str|int|bool)\b)\w+( = )?")
"""What a parameter takes, by a word that only the table has; Python's types stay."""


def readable_parameters(parameters: str) -> str:
    """The parameters of a row: ``dim: axes = None`` as ``dim=None``."""
    return _KIND.sub(lambda kind: "=" if kind[1] else "", parameters)


def readable_target(target: str) -> str:
    """The expression of a row, each of its functions as what it makes of the parameter's name."""
    return ast.unparse(_Plain().visit(ast.parse(target, mode="eval")))


class _Plain(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:  # the name is ast's
        self.generic_visit(node)
        name = value_function(node)
        if name is None or len(node.args) != 1:
            return node
        argument = node.args[0]
        return _value(name, ast.unparse(argument)) if name in VALUES else argument


def _value(name: str, text: str) -> ast.expr:
    try:
        return ast.parse(VALUES[name](text), mode="eval").body
    except Refused:  # it must see the value itself
        return ast.parse(f"{text} == '{name.removeprefix('is_')}'", mode="eval").body
