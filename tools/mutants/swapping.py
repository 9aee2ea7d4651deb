"""Another version of a module, put into a process that has imported it: its functions get their new code.

So a process that has collected the tests, which takes longer than most tests do, serves for many mutants.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

_OF_FUNCTION = 0x1
"""``CO_OPTIMIZED``: what bodies of modules and of classes are not."""


class ImportChanges(Exception):
    """The versions differ in what runs when the module is imported: only a new process shows it."""


def put_in(path: Path, old: str, new: str) -> None:
    """Let the functions of a module, if it is imported, do what its new text says.
    Raises ImportChanges: that is not all that differs."""
    module = _imported(path)
    if module is None:
        return  # whoever imports it reads the new text
    name = str(module.__file__)
    for before, after in list(_changed(compile(old, name, "exec"), compile(new, name, "exec"))):
        if not _swap(before, after):
            raise ImportChanges(before.co_name)
        for one, other in _nested_changes(before, after):
            _swap(one, other)


def _swap(old: CodeType, new: CodeType) -> bool:
    """Give all functions with some code another one; False if there are none."""
    live = _live(old)
    for function in live:
        try:
            function.__code__ = new
        except ValueError as error:  # another number of variables of the enclosing function
            raise ImportChanges(str(error)) from error
    return bool(live)


def _nested_changes(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions that differ in one that differs: a decorator has given some of them away at import."""
    befores, afters = _nested(old), _nested(new)
    if [item.co_name for item in befores] != [item.co_name for item in afters]:
        if any(map(_live, befores)):
            raise ImportChanges(old.co_name)
        return
    for one, other in zip(befores, afters, strict=True):
        if _whole(one) != _whole(other):
            yield one, other
            yield from _nested_changes(one, other)


def _imported(path: Path) -> ModuleType | None:
    wanted = path.resolve()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(path.name) and Path(file).resolve() == wanted:
            return module
    return None


def _live(code: CodeType) -> list[FunctionType]:
    key = _key(code)
    return [item for item in gc.get_objects() if type(item) is FunctionType and _key(item.__code__) == key]


def _key(code: CodeType) -> tuple[object, ...]:
    return (code.co_filename, code.co_name, code.co_firstlineno, code.co_code)


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The outermost functions that differ below two versions of the body of a module or a class."""
    nested = list(zip(_nested(old), _nested(new), strict=False))
    if _alone(old) != _alone(new) or any(one.co_name != other.co_name for one, other in nested):
        raise ImportChanges(old.co_name)
    for one, other in nested:
        if not one.co_flags & _OF_FUNCTION:
            yield from _changed(one, other)
        elif _whole(one) != _whole(other):
            yield one, other


def _nested(code: CodeType) -> list[CodeType]:
    return [item for item in code.co_consts if isinstance(item, CodeType)]


def _alone(code: CodeType) -> tuple[object, ...]:
    """What a body does, without the functions in it and without the lines that it stands in."""
    constants = [
        "function" if isinstance(item, CodeType) else (type(item).__name__, repr(item))
        for item in code.co_consts
    ]
    arguments = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, constants, arguments, names)


def _whole(code: CodeType) -> tuple[object, ...]:
    return (_alone(code), [_whole(item) for item in _nested(code)])
