"""Calls that something else makes later: ``partial``, threads, processes, pools and ``map``."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from ....text.syntax import arguments_of, last_name
from ...names.files import ProgramFile


class Taker(NamedTuple):
    """How a callable takes a function and what that is to be called with."""

    function: tuple[int, str]
    """The position and the keyword of the function."""
    direct: int | None = None
    """From which position on its own arguments are the function's, and its keywords with them."""
    packed: tuple[int, str] | None = None
    """The position and the keyword of a tuple of the function's arguments."""
    each: int | None = None
    """From which position on the items of its arguments are what the function is called with."""
    before: int = 0
    """How many arguments it puts before those."""
    named: tuple[int, str] | None = None
    """The position and the keyword of a dictionary of the function's keyword arguments."""


_THREAD = Taker((1, "target"), packed=(3, "args"), named=(4, "kwargs"))
_SPAWN = Taker((0, "fn"), packed=(1, "args"), before=1)
_ASYNC = Taker((0, "func"), packed=(1, "args"), named=(2, "kwds"))
_POOL = Taker((1, "initializer"), packed=(2, "initargs"))
_MAP = Taker((0, "func"), each=1)
_TAKERS = {
    "methodcaller": Taker((0, "name"), direct=1),
    "partial": Taker((0, "func"), direct=1),
    "partialmethod": Taker((0, "func"), direct=1),
    "submit": Taker((0, "fn"), direct=1),
    "to_thread": Taker((0, "func"), direct=1),
    "run_in_executor": Taker((1, "func"), direct=2),
    "Thread": _THREAD,
    "Process": _THREAD,
    "Timer": Taker((1, "function"), packed=(2, "args"), named=(3, "kwargs")),
    "Pool": _POOL,
    "ProcessPoolExecutor": Taker((2, "initializer"), packed=(3, "initargs")),
    "ThreadPoolExecutor": Taker((2, "initializer"), packed=(3, "initargs")),
    "apply": _ASYNC,
    "apply_async": _ASYNC,
    "spawn": _SPAWN,
    "start_processes": _SPAWN,
    "map": _MAP,
    "imap": _MAP,
    "imap_unordered": _MAP,
    "map_async": _MAP,
}
"""By the last part of their names."""


_WRAPPERS = frozenset({"delayed"})


def applied(call: Node) -> Node:
    """What a call applies its keywords to: its callee, or the function that it has called with them."""
    taker = _TAKERS.get(last_name(call))
    function = _function(taker, call) if taker is not None and taker.direct is not None else None
    return function if function is not None else callee_of(call) or call


def qualified_callee(file: ProgramFile, call: Node) -> str:
    """The qualified name of what a call calls, or applies its arguments to."""
    return file.source.names.name_of(applied(call)) if call.type == "call" else ""


def callee_of(call: Node) -> Node | None:
    """What a call calls; of ``delayed(f)(...)``, as joblib and dask have it, the function itself."""
    function = call.child_by_field_name("function")
    if function is None or function.type != "call" or last_name(function) not in _WRAPPERS:
        return function
    inner = arguments_of(function).at(0)
    return inner.value if inner is not None else function


def _function(taker: Taker, call: Node) -> Node | None:
    position, keyword = taker.function
    found = arguments_of(call).get(keyword, position)
    return found.value if found is not None else None


def taker_of(call: Node, access: tuple[str, ...], argument: int | str) -> tuple[Node, int | str, bool] | None:
    """The function that is called later with an argument of a call, by which argument of its own, and whether
    with each item of what is given.

    Args:
        access: How the value lies in the argument: ``("[0]",)`` is the first item of a tuple.
        argument: The position or keyword of the argument.
    """
    taker = _TAKERS.get(last_name(call))
    function = _function(taker, call) if taker is not None else None
    if taker is None or function is None or argument in taker.function:
        return None
    own = _own_argument(taker, access[0], argument) if access else _direct_argument(taker, argument)
    return (function, *own) if own is not None else None


def _own_argument(taker: Taker, key: str, argument: int | str) -> tuple[int | str, bool] | None:
    """By which argument the function gets what lies under a key of what is given."""
    if taker.packed is not None and argument in taker.packed and key[1:-1].isdigit():
        return int(key[1:-1]) + taker.before, False
    if taker.named is not None and argument in taker.named and not key.startswith("["):
        return key, False
    if taker.each is not None and isinstance(argument, int) and argument >= taker.each:
        return argument - taker.each + taker.before, True
    return None


def _direct_argument(taker: Taker, argument: int | str) -> tuple[int | str, bool] | None:
    """By which argument the function gets what is given itself."""
    if taker.direct is None:
        return None
    if isinstance(argument, str):
        return argument, False
    return (argument - taker.direct, False) if argument >= taker.direct else None
