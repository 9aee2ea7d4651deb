"""A call of one operator as a call of another, by an expression over the parameters of the first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from ...text.syntax import arguments_of, text_of

_ATOMS = frozenset({"identifier", "attribute", "call", "subscript", "parenthesized_expression"})
_INDEX = "index"
"""The annotation of a parameter for which only a number without a sign is taken."""
_HOLE = re.compile(r"_hole(\d+)_(\.?)")


class _Parameter(NamedTuple):
    name: str
    default: str | None
    kind: str


def given_to(call: Node, parameters: str) -> Mapping[str, Node] | None:
    """The arguments of a call by the parameters that a table writes; None where a call gives what is not
    among them, leaves one out that has no default, or may give anything."""
    known, arguments = _parameters(parameters), arguments_of(call)
    given: dict[str, Node] = {}
    for item in arguments.items:
        at = item.position
        name = item.keyword or (known[at].name if at is not None and at < len(known) else "")
        if name in given or all(one.name != name for one in known):
            return None
        given[name] = item.value
    is_full = all(_is_served(one, given.get(one.name)) for one in known)
    return given if is_full and not arguments.unpacked else None


def _is_served(parameter: _Parameter, value: Node | None) -> bool:
    if value is None:
        return parameter.default is not None
    return parameter.kind != _INDEX or value.type == "integer"


def added_keywords(old: Node, parameters: str, target: str) -> tuple[str, ...] | None:
    """The keywords that a call gets where it keeps its arguments as they are; None where they change."""
    call = ast.parse(target, mode="eval").body
    assert isinstance(call, ast.Call)
    if len(arguments_of(old).positional) > len(call.args):
        return None  # what is behind may have another place there
    names = [one.name for one in _parameters(parameters)]
    kept = [ast.unparse(item) for item in call.args]
    kept += [item.arg or "" for item in call.keywords if ast.unparse(item.value) == item.arg]
    added = [item for item in call.keywords if isinstance(item.value, ast.Constant)]
    if kept != names or len(kept) + len(added) != len(call.args) + len(call.keywords):
        return None
    return tuple(f"{item.arg}={ast.unparse(item.value)}" for item in added)


def written(call: Node, parameters: str, target: str, dropped: frozenset[str]) -> str | None:
    """The text of the new call; None where an argument has no place in it."""
    given = given_to(call, parameters)
    expression = ast.parse(target, mode="eval").body
    assert isinstance(expression, ast.Call)
    if given is None:
        return None
    used = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    if given.keys() - used - dropped:
        return None
    defaults = {one.name: one.default for one in _parameters(parameters)}
    texts = {name: text_of(node) for name, node in given.items()}

    def filled(hole: re.Match[str]) -> str:
        name, dot = list(defaults)[int(hole[1])], hole[2]
        is_atom = name not in given or given[name].type in _ATOMS or not dot
        text = texts.get(name, defaults[name] or "")
        return (text if is_atom else f"({text})") + dot

    arguments = ", ".join(_HOLE.sub(filled, text) for text in _arguments(expression, defaults, given))
    return f"{ast.unparse(expression.func)}({arguments})"


def _arguments(
    call: ast.Call, defaults: Mapping[str, str | None], given: Mapping[str, Node]
) -> Iterator[str]:
    """The arguments of the table's call, with a hole for each parameter; what is left out at the end, and
    keywords that the call does not give, are not written."""

    def is_left_out(value: ast.expr) -> bool:
        return isinstance(value, ast.Name) and value.id in defaults and value.id not in given

    positions = list(call.args)
    while positions and is_left_out(positions[-1]):
        positions.pop()
    yield from (_with_holes(value, defaults) for value in positions)
    for keyword in call.keywords:
        if not is_left_out(keyword.value):
            yield f"{keyword.arg}={_with_holes(keyword.value, defaults)}"


def _with_holes(value: ast.expr, names: Mapping[str, str | None]) -> str:
    class Holes(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name(f"_hole{list(names).index(node.id)}_") if node.id in names else node

    return ast.unparse(Holes().visit(ast.parse(ast.unparse(value), mode="eval").body))


@lru_cache(maxsize=64)
def _parameters(text: str) -> tuple[_Parameter, ...]:
    function = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    listed = [*function.args.posonlyargs, *function.args.args]
    missing: list[ast.expr | None] = [None] * (len(listed) - len(function.args.defaults))
    return tuple(
        _Parameter(
            one.arg,
            ast.unparse(default) if default is not None else None,
            ast.unparse(one.annotation) if one.annotation is not None else "",
        )
        for one, default in zip(listed, [*missing, *function.args.defaults], strict=True)
    )
