"""Tests that assert only that something is *not* there, and what else shows that it could have been seen.

Such a test passes as well when nothing is examined at all: a text that does not import torch, a helper that
returns nothing any more. Its *positive control* is an assertion in the same file that the same function, with
other input, gives something: in the same test, or in a neighbour.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import NamedTuple

_NOTHING = (None, False, "", b"")
_EMPTY_MAKERS = frozenset({"set", "frozenset", "list", "tuple", "dict", "Counter"})
_PLAIN = frozenset(dir(builtins)) | {"Path", "replace", "format", "join", "strip", "split", "splitlines"}
"""Calls that examine nothing themselves."""
CONTROLS = frozenset({"found_beside_control", "found_before"})
"""Functions that fail themselves where nothing is examined."""
_RAISING = frozenset({"raises", "warns"})

Test = ast.FunctionDef | ast.AsyncFunctionDef


class OneSided(NamedTuple):
    """A test with negative assertions only."""

    name: str
    line: int
    subjects: frozenset[str]
    """The functions of which the test says that they give nothing."""


def one_sided(module: ast.Module) -> Iterator[OneSided]:
    """The tests of a file that assert only absence, and whose subjects nothing in the file shows to work."""
    tests = [node for node in ast.walk(module) if isinstance(node, Test) and node.name.startswith("test")]
    claimed = [(test, list(_claims(test))) for test in tests]
    negative = [
        (test, claims)
        for test, claims in claimed
        if claims and all(map(_is_negative, claims)) and not _raises(test)
    ]
    shown = frozenset(name for test in tests for name in _shown(test)) | CONTROLS if negative else CONTROLS
    for test, claims in negative:
        values = _values(test)
        subjects = frozenset(name for claim in claims for name in _calls(claim, values, with_arguments=False))
        if not subjects & shown:
            yield OneSided(test.name, test.lineno, subjects)


def never_run(module: ast.Module) -> Iterator[str]:
    """The tests that stand in another function, where pytest does not look for them."""
    for outer in ast.walk(module):
        if isinstance(outer, Test):
            for inner in ast.walk(outer):
                if inner is not outer and isinstance(inner, Test) and inner.name.startswith("test_"):
                    yield inner.name


def _shown(test: Test) -> Iterator[str]:
    """The functions of which a test says that they give something: it compares, or takes the result apart."""
    values = _values(test)
    for claim in _claims(test):
        if not _is_negative(claim):
            yield from _calls(claim, values, with_arguments=True)
    for node in ast.walk(test):
        if isinstance(node, ast.Assign) and any(isinstance(target, ast.Tuple) for target in node.targets):
            yield from _calls(node.value, values, with_arguments=True)


def _claims(test: Test) -> Iterator[ast.expr]:
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            yield from node.test.values if _is_all_of(node.test) else [node.test]


def _is_all_of(node: ast.expr) -> bool:
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)


def _raises(test: Test) -> bool:
    """Whether a test waits for an exception, which only code that ran can raise."""
    return any(isinstance(node, ast.Attribute) and node.attr in _RAISING for node in ast.walk(test))


def _is_negative(claim: ast.expr) -> bool:
    """Whether nothing at all would satisfy an assertion."""
    if isinstance(claim, ast.UnaryOp):
        return isinstance(claim.op, ast.Not)
    if isinstance(claim, ast.BoolOp):
        return all(map(_is_negative, claim.values))
    if isinstance(claim, ast.Call):
        return _name_of(claim.func) == "all" and _is_negative_for_all(claim)
    return isinstance(claim, ast.Compare) and len(claim.ops) == 1 and _is_negative_comparison(claim)


def _is_negative_for_all(claim: ast.Call) -> bool:
    given = claim.args[0] if claim.args else None
    return isinstance(given, ast.GeneratorExp) and _is_negative(given.elt)


def _is_negative_comparison(claim: ast.Compare) -> bool:
    (operator,) = claim.ops
    empty = _is_nothing(claim.comparators[0]) or _is_nothing(claim.left)
    if isinstance(operator, ast.NotIn):
        return True
    if isinstance(operator, ast.Eq | ast.Is):
        return empty
    return isinstance(operator, ast.NotEq | ast.IsNot) and not empty


def _is_nothing(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return any(node.value is nothing or node.value == nothing == "" for nothing in _NOTHING)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Call) and _name_of(node.func) in _EMPTY_MAKERS and not node.args


def _calls(part: ast.expr, values: dict[str, list[ast.AST]], *, with_arguments: bool) -> Iterator[str]:
    """The functions whose results an expression looks at, by way of the test's variables, too.

    That of ``found(text_of(name)).codes == []`` is ``found``: that nothing is found proves nothing of what
    its arguments are made of. That something is found does.
    """
    seen: set[str] = set()
    waiting: list[ast.AST] = [part]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and (name := _name_of(node.func)) not in _PLAIN:
            yield name
            waiting += ast.iter_child_nodes(node) if with_arguments else []
        elif isinstance(node, ast.Name):
            waiting += values.get(node.id, []) if node.id not in seen else []
            seen.add(node.id)
        else:
            waiting += ast.iter_child_nodes(node)


def _values(test: Test) -> dict[str, list[ast.AST]]:
    """What the variables of a test are bound to."""
    found: dict[str, list[ast.AST]] = {}
    for node in ast.walk(test):
        targets: list[ast.expr] = []
        value: ast.AST | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
            targets, value = [node.target], node.value
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            targets, value = [node.target], node.iter
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets, value = [node.optional_vars], node.context_expr
        for name in (name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)):
            if value is not None:
                found.setdefault(name.id, []).append(value)
    return found


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""
