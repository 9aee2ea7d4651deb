"""What the top level of a Python module binds, from its syntax tree alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class ModuleName(NamedTuple):
    """What a name of a module is: defined there, or imported."""

    kind: str
    """``class``, ``function``, ``attribute`` or ``import``."""
    target: str = ""
    """What an import means, as a full name."""
    is_relative: bool = False
    """Whether an import names its module relatively (``from .x import y``)."""
    node: ast.ClassDef | None = None
    """A class's own syntax."""


class ModuleNames(NamedTuple):
    """The names of one module."""

    bound: dict[str, ModuleName]
    stars: tuple[str, ...]
    """Modules of which everything public is imported."""
    exported: frozenset[str] | None
    """``__all__`` as far as it is written out, or None without one."""


def names_of(tree: ast.Module, module: str, is_package: bool) -> ModuleNames:
    """What a module binds when it is imported; ``module`` is its full name."""
    package = module if is_package else module.rpartition(".")[0]
    bound: dict[str, ModuleName] = {}
    stars: list[str] = []
    exported: set[str] | None = None
    for statement in _top_level(tree.body):
        if isinstance(statement, ast.ImportFrom):
            source = _source(statement, package)
            for name in statement.names:
                if name.name == "*":
                    stars.append(source)
                else:
                    target = f"{source}.{name.name}"
                    bound[name.asname or name.name] = ModuleName("import", target, statement.level > 0)
        elif isinstance(statement, ast.Import):
            for name in statement.names:
                root = name.name.partition(".")[0]
                bound[name.asname or root] = ModuleName("import", name.name if name.asname else root)
        elif isinstance(statement, ast.Delete):
            for target_node in statement.targets:
                if isinstance(target_node, ast.Name):
                    bound.pop(target_node.id, None)
        else:
            bound.update(_defined(statement))
            exported = _exported(statement, exported)
    return ModuleNames(bound, tuple(stars), None if exported is None else frozenset(exported))


def members_of(node: ast.ClassDef) -> Iterator[str]:
    """The names that a class's own body binds."""
    for statement in _top_level(node.body):
        yield from _defined(statement)


def attributes_of(node: ast.ClassDef) -> Iterator[str]:
    """The names that a class's methods give to an instance: ``self.x = ...``, ``__setattr__("x", ...)``."""
    for item in ast.walk(node):
        if isinstance(item, ast.Attribute) and isinstance(item.ctx, ast.Store):
            if isinstance(item.value, ast.Name) and item.value.id == "self":
                yield item.attr
        elif isinstance(item, ast.Call) and ast.unparse(item.func).endswith(("setattr", "__setattr__")):
            values = (argument.value for argument in item.args if isinstance(argument, ast.Constant))
            yield from (value for value in values if isinstance(value, str))


def bases_of(node: ast.ClassDef) -> Iterator[str]:
    """The dotted names of a class's bases, as written."""
    return (ast.unparse(base) for base in node.bases)


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run on import, those below conditions and handlers too."""
    for statement in body:
        yield statement
        for part in ("body", "orelse", "finalbody", "handlers"):
            if isinstance(statement, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
                for child in getattr(statement, part, ()):
                    nested = child.body if isinstance(child, ast.ExceptHandler) else [child]
                    yield from _top_level(nested)


def _source(statement: ast.ImportFrom, package: str) -> str:
    if not statement.level:
        return statement.module or ""
    parents = package.split(".")
    base = ".".join(parents[: len(parents) - statement.level + 1])
    return f"{base}.{statement.module}" if statement.module else base


def _defined(statement: ast.stmt) -> dict[str, ModuleName]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {statement.name: ModuleName("function")}
    if isinstance(statement, ast.ClassDef):
        return {statement.name: ModuleName("class", node=statement)}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    names = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return {name.id: ModuleName("attribute") for name in names if isinstance(name.ctx, ast.Store)}


def _exported(statement: ast.stmt, before: set[str] | None) -> set[str] | None:
    """``__all__`` after a statement that may set or extend it."""
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, ast.AugAssign):
        targets, value = [statement.target], statement.value
    else:
        return before
    if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
        return before
    texts = {item.value for item in ast.walk(value) if isinstance(item, ast.Constant)}
    names = {text for text in texts if isinstance(text, str)}
    return names if isinstance(statement, ast.Assign) else (before or set()) | names
