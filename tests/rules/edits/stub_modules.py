"""Runs a program on modules that have every name, to see whether its own names are bound when it asks."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from types import ModuleType
from typing import Any

MISSING = frozenset({"not_there", "apex"})
"""Packages that cannot be imported."""


class Stub(ModuleType):
    """A module, class, function and value that has everything, and is true."""

    def __init__(self, name: str = "stub") -> None:
        super().__init__(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Stub(name)

    def __call__(self, *args: Any, **_: Any) -> Any:
        is_decorated = len(args) == 1 and callable(args[0]) and not isinstance(args[0], Stub)
        return args[0] if is_decorated else Stub()

    def __enter__(self) -> Stub:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def run(text: str) -> Mapping[str, Any]:
    """Execute a program, and each function that it defines without parameters.
    Raises NameError: one of its names was not bound, in the program or in such a function."""
    space: dict[str, Any] = {"__name__": "program", "__builtins__": {**vars(builtins), "__import__": _import}}
    exec(compile(text, "program", "exec"), space)
    for value in list(space.values()):
        if callable(value) and not isinstance(value, (Stub, type)):
            value()
    return space


def _import(name: str, _: object = None, __: object = None, fromlist: object = (), ___: int = 0) -> Any:
    if name.partition(".")[0] in MISSING:
        raise ImportError(name)
    if name in ("typing", "__future__", "contextlib", "importlib"):
        return builtins.__import__(name, fromlist=["*"])
    return Stub(name)
