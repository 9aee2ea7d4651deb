"""Which mutants there are, and a sample of them that depends on nothing but the code and a seed."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cosmic_ray.plugins
import parso
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from parso.tree import NodeOrLeaf

from . import conditions

PACKAGES = (
    "rules/gpu2ascend_rules/engine",
    "rules/gpu2ascend_rules/flow",
    "rules/gpu2ascend_rules/inference",
    "rules/gpu2ascend_rules/catalog",
    "rules/gpu2ascend_rules/codemods",
    "rules/gpu2ascend_rules/edits",
    "server/gpu2ascend/project",
    "server/gpu2ascend/cli",
    "server/gpu2ascend/lsp",
    "server/gpu2ascend/verify",
)
"""What is mutated. A path below one of them, or of a module, may be given instead."""

_TRIES = 20
"""How many places of a module are tried for one that changes it."""

_IDLE = re.compile(
    r"Comparison.*_(Is|IsNot|Eq|NotEq)_(Lt|LtE|Gt|GtE|Is|IsNot|Eq|NotEq)$"
    r"|BinaryOperator_(?!Add_Sub|Sub_Add|Mul_FloorDiv|FloorDiv_Mul|Div_Mul|BitOr_BitAnd|BitAnd_BitOr|Mod_)"
)
"""Mutations that say little about the tests: nearly all raise a TypeError at once, or mean the same."""
_TELLING = re.compile(r"_(Is_IsNot|IsNot_Is|Eq_NotEq|NotEq_Eq)$")

Position = tuple[int, int]


class Mutant(NamedTuple):
    """A module with one small defect."""

    path: str
    """The module, relative to the checkout, with slashes."""
    operator: str
    line: int
    """Where the defect is, from 1."""
    before: str
    """The lines that it changes, without indentation."""
    after: str
    code: str
    """The whole mutated module."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.operator}: {self.before!r} -> {self.after!r}"


def modules(root: Path, packages: Sequence[str]) -> list[str]:
    """The modules of packages, relative to the checkout.
    Raises ValueError: a package does not exist, or has no module with code in it."""
    found: set[str] = set()
    for package in packages:
        below = root / package
        paths = [below] if below.is_file() else sorted(below.rglob("*.py"))
        if not paths:
            raise ValueError(f"there are no modules in {package}")
        found.update(path.relative_to(root).as_posix() for path in paths if "templates" not in path.parts)
    return sorted(found)


def sample(root: Path, packages: Sequence[str], count: int, seed: int) -> Iterator[Mutant]:
    """Mutants of randomly chosen places, without repetition.

    A long module is chosen more often than a short one. In a module a *place* is chosen, then one of the
    mutations of that place: all that replace one ``<`` count as much as the one that drops a filter.
    """
    chooser = random.Random(seed)
    names = modules(root, packages)
    weights = [len((root / name).read_text(encoding="utf-8").splitlines()) for name in names]
    seen: set[tuple[str, str]] = set()
    for _ in range(count * _TRIES):
        if count <= 0:
            return
        (name,) = chooser.choices(names, weights)
        mutant = _any_mutant(root, name, chooser)
        if mutant is not None and (name, mutant.code) not in seen:
            seen.add((name, mutant.code))
            count -= 1
            yield mutant


def _any_mutant(root: Path, name: str, chooser: random.Random) -> Mutant | None:
    source = (root / name).read_text(encoding="utf-8")
    places = mutations(source)
    if not places:
        return None
    place = chooser.choice(sorted(places))
    operator, occurrence = chooser.choice(places[place])
    code = mutated(source, operator, occurrence)
    return _mutant(name, operator, place[0], source, code) if code is not None else None


def mutants_of(root: Path, name: str, operator: str) -> Iterator[Mutant]:
    """All mutants of a module by one operator, which is called as in :class:`Mutant`; none of no file."""
    if not (root / name).is_file():
        return
    source = (root / name).read_text(encoding="utf-8")
    for (line, _), found in sorted(mutations(source).items()):
        for item, occurrence in found:
            code = mutated(source, item, occurrence) if item.rpartition("/")[2] == operator else None
            if code is not None:
                yield _mutant(name, item, line, source, code)


def mutated(source: str, operator: str, occurrence: int) -> str | None:
    """A module with one mutation; None where that changes nothing."""
    try:
        code: str | None = mutate_code(source, _operator(operator), occurrence)
    except AttributeError:  # of Cosmic Ray's, on ``except package.Error``
        return None
    return code if code != source else None


def mutations(source: str) -> dict[Position, list[tuple[str, int]]]:
    """The mutations of a module by the place where they begin: operator, and which of its occurrences.

    What is for type checkers is left out, since no test could notice; so are the examples of rules, which are
    tests themselves, and the decorators that keep results, which change no result.
    """
    caches = _caches(source)
    untested = [_span(node) for node in _untested(ast.parse(source))]
    nodes = list(ast_nodes(parso.parse(source)))
    found: dict[Position, list[tuple[str, int]]] = {}
    for name in _operators():
        positions = _positions(name, nodes)
        for occurrence, (start, end) in enumerate(positions):
            if start[0] not in caches and not any(first <= start and end <= last for first, last in untested):
                found.setdefault(start, []).append((name, occurrence))
    return found


def _positions(operator: str, nodes: list[NodeOrLeaf]) -> Iterator[tuple[Position, Position]]:
    judge = _operator(operator)
    for node in nodes:
        yield from judge.mutation_positions(node)


def _operators() -> list[str]:
    """Those that need no arguments; the others are for replacing certain variables."""
    rays = [
        name
        for name in cosmic_ray.plugins.operator_names()
        if (_TELLING.search(name) or not _IDLE.search(name))
        and not cosmic_ray.plugins.get_operator(name).arguments()
    ]
    return [*rays, *conditions.OPERATORS]


def _operator(name: str) -> Any:
    own = conditions.OPERATORS.get(name)
    return own() if own is not None else cosmic_ray.plugins.get_operator(name)()


def _untested(module: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(module):
        yield from filter(None, (getattr(node, "annotation", None), getattr(node, "returns", None)))
        if isinstance(node, ast.keyword) and node.arg == "kw_only":
            yield node.value
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "examples":
            yield node.value
        elif _is_for_types(node):
            yield node


def _is_for_types(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "TypeVar"
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.ClassDef) and any("Protocol" in ast.unparse(base) for base in node.bases)


def _span(node: Any) -> tuple[Position, Position]:
    """Columns in bytes, which are those of Cosmic Ray in what is ASCII."""
    end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    return (node.lineno, node.col_offset), end


def _caches(source: str) -> frozenset[int]:
    """The lines of decorators that keep results: without one, the same comes of the same."""
    return frozenset(
        item.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        for item in node.decorator_list
        if ast.unparse(item).startswith(("lru_cache", "cache", "functools.cache", "functools.lru_cache"))
    )


def _mutant(name: str, operator: str, line: int, source: str, code: str) -> Mutant:
    old, new = source.splitlines(), code.splitlines()
    first = next((i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
    tail = 0
    while tail < min(len(old), len(new)) - first and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    changed = (
        " ".join(" ".join(lines).split())
        for lines in (old[first : len(old) - tail], new[first : len(new) - tail])
    )
    before, after = changed
    return Mutant(name, operator.rpartition("/")[2], line, before, after, code)
