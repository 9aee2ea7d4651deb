"""Who reads a file: the line of the project, the package between, and whether it can do without."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from .. import rows

_OURS = "gpu2ascend_simulator"
_LIBRARIES = ("site-packages", "dist-packages")
_TAKES_A_MISSING_FILE = (
    "FileNotFoundError",
    "OSError",
    "IOError",
    "EnvironmentError",
    "Exception",
    "BaseException",
)
_NAMES_A_MISSING_FILE = _TAKES_A_MISSING_FILE[:4]
_LISTS = ("listdir", "scandir", "walk", "glob", "iglob", "rglob", "iterdir")
_LEAVES = ("exit", "_exit", "quit", "error", "fatal")
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module


class Caller(NamedTuple):
    """A line of a project that reads."""

    path: str
    line: int
    reader: str
    """The module that reads for it; empty where it does so itself."""
    given: dict[str, Any]
    """The arguments of the reader's function."""
    callers: tuple[tuple[str, int], ...] = ()
    """The lines of the project that led to it."""

    def reads(self, path: str) -> bool:
        """Whether it is this path that the line reads, and not one that its reader needs for itself."""
        if not self.reader:
            return True
        values: list[Any] = list(self.given.values())
        values += [one for value in values if isinstance(value, tuple) for one in value]
        values += [one for value in values if isinstance(value, dict) for one in value.values()]
        names = (os.fspath(value) for value in values if isinstance(value, str | os.PathLike))
        return any(isinstance(name, str) and os.path.abspath(name) == path for name in names)  # noqa: PTH100

    def where(self, root: str) -> str:
        """The line, for people."""
        return f"{os.path.relpath(os.path.realpath(self.path), root)}:{self.line}"

    @property
    def tree(self) -> ast.Module:
        """The file of the line."""
        return tree_of(self.path)

    @property
    def text(self) -> str:
        """The statement of the line, as it is written."""
        found = min(_around(self.tree, self.line, ast.stmt), key=_length, default=None)
        return "" if found is None else ast.unparse(found)

    @property
    def function(self) -> str:
        """The function of the line, as it is written."""
        return ast.unparse(self.scopes[0])

    @property
    def scopes(self) -> list[Scope]:
        """The function, the class and the module of the line, the innermost first."""
        return scopes_of(self.path, self.line)

    @property
    def can_do_without(self) -> bool:
        """Whether the function, or by its name one that called it, catches that something is not there."""
        return _is_caught(self.path, self.line, _TAKES_A_MISSING_FILE) or any(
            _is_caught(path, line, _NAMES_A_MISSING_FILE) for path, line in self.callers
        )

    @property
    def needs_to_exist(self) -> bool:
        """Whether the line tests for something, and the program ends where it is not there."""
        return _needs_to_exist(self.path, self.line)

    @property
    def can_be_empty(self) -> bool:
        """Whether the line lists a folder, and the code goes on where nothing is in it."""
        return can_be_empty(self.path, self.line)


def caller_in(root: str) -> Caller | None:
    """The line of the project from which something is read now; None where a package reads for itself."""
    frame: FrameType | None = sys._getframe(1)
    reader = ""
    given: dict[str, Any] = {}
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        path = frame.f_code.co_filename
        if name.partition(".")[0] != _OURS:
            if is_inside(path, root):
                return Caller(path, frame.f_lineno, reader, given, tuple(_callers(frame.f_back, root)))
            kind = _kind_of_reader(name)
            if kind is None:
                return None
            if kind:
                reader, given = name, dict(frame.f_locals)
        frame = frame.f_back
    return None


def _callers(frame: FrameType | None, root: str) -> Iterator[tuple[str, int]]:
    while frame is not None:
        if is_inside(frame.f_code.co_filename, root):
            yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


@cache
def is_inside(path: str, root: str) -> bool:
    """Whether a file is of the project's own code."""
    if path.startswith("<"):
        return False
    real = os.path.realpath(path)
    is_below = real.startswith(root.rstrip(os.sep) + os.sep)
    return is_below and not any(name in Path(real).parts for name in _LIBRARIES)


@cache
def tree_of(path: str) -> ast.Module:
    """The syntax tree of a Python file; an empty one where there is none."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


@cache
def _kind_of_reader(module: str) -> str | None:
    """What a module reads for who calls it: nothing certain if empty; None if it is not known as a reader."""
    for name, kind in rows("readers.tsv"):
        if module == name or module.startswith(f"{name}."):
            return "" if kind == "path" else kind
    return None


def kind_of_reader(module: str) -> str:
    """What a reader wants: ``image``, ``table``, ``annotation``, ``sound`` or ``any``."""
    return _kind_of_reader(module) or ""


@cache
def scopes_of(path: str, line: int) -> list[Scope]:
    tree = tree_of(path)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [*sorted(_around(tree, line, kinds), key=_length), tree]


@cache
def _is_caught(path: str, line: int, errors: tuple[str, ...]) -> bool:
    """Whether a function catches one of the errors that a line raises, and goes on."""
    inner = scopes_of(path, line)[0]
    return any(
        _takes(handler, errors) and not _fails(handler.body)
        for found in _around(tree_of(path), line, ast.Try)
        if isinstance(inner, ast.Module) or _length(found) < _length(inner)
        if _covers(found.body, line)
        for handler in found.handlers
    )


@cache
def _needs_to_exist(path: str, line: int) -> bool:
    for test in _around(tree_of(path), line, (ast.Assert, ast.If)):
        if _covers([test.test], line):
            if isinstance(test, ast.Assert):
                return True
            return _fails(test.body if _is_negated(test.test) else test.orelse)
    return False


def _is_negated(test: ast.expr) -> bool:
    """Whether a test is for something that is not there: what it calls stands behind a ``not``."""
    negated = (node.operand for node in ast.walk(test) if isinstance(node, ast.UnaryOp))
    return any(isinstance(part, ast.Call) for operand in negated for part in ast.walk(operand))


@cache
def can_be_empty(path: str, line: int) -> bool:
    """Whether a line lists a folder, and the code that tests for an empty one goes on with it."""
    tree = tree_of(path)
    for test in _around(tree, line, (ast.If, ast.While)):
        if _covers([test.test], line) and _listed(test.test):
            return not _needs_to_exist(path, line)
    statement = min(_around(tree, line, ast.stmt), key=_length, default=None)
    if not isinstance(statement, ast.Assign) or not _listed(statement.value):
        return False
    name = ast.unparse(statement.targets[0])
    for test in ast.walk(scopes_of(path, line)[0]):
        if isinstance(test, ast.If) and test.lineno > line:
            is_full = _is_full(test.test, name)
            if is_full is not None:
                branch = test.orelse if is_full else test.body
                only_says = not is_full and all(isinstance(part, ast.Expr) for part in branch)
                return not (only_says or _fails(branch))
    return False


def _listed(node: ast.AST) -> bool:
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(getattr(func, "attr", getattr(func, "id", "")) in _LISTS for func in calls)


def _is_full(test: ast.expr, name: str) -> bool | None:
    """Whether a test holds where a list has something; None where it does not ask for that."""
    if isinstance(test, ast.BoolOp):
        return next((found for part in test.values if (found := _is_full(part, name)) is not None), None)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        found = _is_full(test.operand, name)
        return None if found is None else not found
    text = ast.unparse(test)
    if text in (name, f"{name} != []", *(f"len({name}){end}" for end in ("", " > 0", " != 0", " >= 1"))):
        return True
    empty = (f"{name} == []", *(f"len({name}){end}" for end in (" == 0", " < 1", " <= 0")))
    return False if text in empty else None


def _around(tree: ast.AST, line: int, kinds: Any) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, kinds) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node


def _length(node: Any) -> int:
    return int((node.end_lineno or node.lineno) - node.lineno)


def _covers(nodes: Sequence[Any], line: int) -> bool:
    return any(node.lineno <= line <= (node.end_lineno or node.lineno) for node in nodes)


def _takes(handler: ast.ExceptHandler, errors: tuple[str, ...]) -> bool:
    if handler.type is None:
        return "Exception" in errors
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return not names.isdisjoint(errors)


def _fails(body: Sequence[ast.stmt]) -> bool:
    """Whether statements end the program."""
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        called = last.value.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return name in _LEAVES
    return isinstance(last, ast.Raise)
