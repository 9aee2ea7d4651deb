"""The parameters of an API, as a table writes them: ``input, dim: int, keepdim=False, *, out=None``."""

from __future__ import annotations

import ast
from typing import NamedTuple


class Parameter(NamedTuple):
    """One parameter of an API."""

    name: str
    default: str | None
    """The text of its default; None where a call must give it."""
    by_position: bool
    """Whether a position may give it."""
    collects: bool = False
    """Whether it takes all further positions: ``*size``."""
    kind: str = ""
    """What its argument must be for the entry to hold: ``int``, ``tensor``; empty for anything."""


class Signature(NamedTuple):
    """The parameters of an API in their order."""

    parameters: tuple[Parameter, ...]

    def named(self, name: str) -> Parameter | None:
        """The parameter of a name."""
        return next((one for one in self.parameters if one.name == name), None)

    def at(self, position: int) -> Parameter | None:
        """The parameter that the argument at a position belongs to."""
        by_position = [one for one in self.parameters if one.by_position]
        if position < len(by_position):
            return by_position[position]
        return next((one for one in self.parameters if one.collects), None)


def read_signature(text: str) -> Signature:
    """The parameters that a table writes. Raises ValueError: the text is no list of parameters."""
    try:
        arguments = ast.parse(f"def f({text}): ...").body[0]
    except SyntaxError as error:
        raise ValueError(f"not a list of parameters: {text}") from error
    assert isinstance(arguments, ast.FunctionDef)
    given = arguments.args
    positional = [*given.posonlyargs, *given.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    found = [
        _parameter(argument, default, by_position=True)
        for argument, default in zip(positional, [*missing, *given.defaults], strict=True)
    ]
    if given.vararg is not None:
        collecting = _parameter(given.vararg, None, by_position=False)
        found.append(collecting._replace(collects=True))
    found += [
        _parameter(argument, default, by_position=False)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return Signature(tuple(found))


def _parameter(argument: ast.arg, default: ast.expr | None, *, by_position: bool) -> Parameter:
    kind = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    written = ast.unparse(default) if default is not None else None
    return Parameter(argument.arg, written, by_position, kind=kind)
