"""The call or test that a word is part of becomes a function that takes the word, here or elsewhere."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable

from ..marked import Files
from .refactoring import MAIN, Program, Refactoring, Target

_DECLARES = ("field", "Field")
"""What a class statement reads itself, and no function may make."""
_BUILTINS = frozenset(dir(builtins))


class _Part:
    """An expression that is moved into a function, with what it needs of the place where it stood."""

    def __init__(self, program: Program, expression: ast.expr, word: ast.Constant) -> None:
        self.program, self.expression, self.word = program, expression, word

    @property
    def free(self) -> list[str] | None:
        """The variables that it reads; None where it binds or awaits anything."""
        kinds = (ast.NamedExpr, ast.Lambda, ast.comprehension, ast.Await, ast.Yield, ast.YieldFrom)
        inside = list(ast.walk(self.expression))
        if any(isinstance(item, kinds) for item in inside) or "super(" in self.program.source(
            self.expression
        ):
            return None
        names = [item.id for item in inside if isinstance(item, ast.Name)]
        outside = self.program.imported | _BUILTINS
        return [name for name in dict.fromkeys(names) if name not in outside]

    def body(self, word: str = "word") -> str:
        """The expression with a name in the place of the word."""
        start, end = self.program.span(self.expression)
        first, last = self.program.span(self.word)
        text = self.program.text
        return text[start:first] + word + text[last:end]


def _part_of(target: Target) -> _Part | None:
    """The call or comparison that a word is directly part of."""
    parent = target.program.parents[target.node]
    if isinstance(parent, ast.keyword):
        parent = target.program.parents[parent]
    if isinstance(parent, ast.Call) and parent.func is target.node:
        return None
    if not isinstance(parent, (ast.Call, ast.Compare)) or "\n" in target.program.source(parent):
        return None
    part = _Part(target.program, parent, target.node)
    is_declaration = isinstance(parent, ast.Call) and target.program.source(parent.func) in _DECLARES
    return part if part.free is not None and not is_declaration else None


Site = Callable[[_Part, str], tuple[str, str]]
"""The parameters of the function and the expression at the place where it is called."""


def _others(part: _Part) -> list[str]:
    return part.free or []


def _by_position(part: _Part, literal: str) -> tuple[str, str]:
    names = _others(part)
    return ", ".join(["word", *names]), f"moved({', '.join([literal, *names])})"


def _by_keyword(part: _Part, literal: str) -> tuple[str, str]:
    names = _others(part)
    given = ", ".join([*(f"{name}={name}" for name in names), f"word={literal}"])
    return ", ".join([*names, "word"]), f"moved({given})"


def _by_star(part: _Part, literal: str) -> tuple[str, str]:
    names = _others(part)
    given = "".join(f"{item}, " for item in [literal, *names])
    return ", ".join(["word", *names]), f"moved(*({given.rstrip()}))"


def _by_double_star(part: _Part, literal: str) -> tuple[str, str]:
    names = _others(part)
    given = ", ".join([f"'word': {literal}", *(f"'{name}': {name}" for name in names)])
    return ", ".join([*names, "word"]), f"moved(**{{{given}}})"


def _by_partial(part: _Part, literal: str) -> tuple[str, str]:
    names = _others(part)
    return ", ".join(["word", *names]), f"functools.partial(moved, {literal})({', '.join(names)})"


def _by_default(part: _Part, literal: str) -> tuple[str, str]:
    names = _others(part)
    return ", ".join([*names, f"word={literal}"]), f"moved({', '.join(names)})"


def _within(part: _Part, literal: str) -> tuple[str, str]:
    """The word goes with the expression."""
    names = _others(part)
    return ", ".join(names), f"moved({', '.join(names)})"


def _function(part: _Part, parameters: str, literal: str, *, is_within: bool) -> str:
    body = part.body(literal if is_within else "word")
    return f"def moved({parameters}):\n    return {body}\n"


def _moved(site: Site, *, elsewhere: bool) -> Callable[[Target], Files | None]:
    def apply(target: Target) -> Files | None:
        part = _part_of(target)
        if part is None:
            return None
        parameters, call = site(part, target.literal)
        function = _function(part, parameters, target.literal, is_within=site is _within)
        top = "import functools\n" if site is _by_partial else ""
        if not elsewhere:
            return {MAIN: target.program.replaced(part.expression, call, top + function)}
        imports = "\n".join(target.program.imports)
        return {
            MAIN: target.program.replaced(part.expression, call, f"{top}from moves import moved"),
            "moves.py": f"{imports}\n\n\n{function}",
        }

    return apply


_SITES: dict[str, Site] = {
    "by position": _by_position,
    "by keyword": _by_keyword,
    "by star": _by_star,
    "by double star": _by_double_star,
    "by partial": _by_partial,
    "by default": _by_default,
    "within": _within,
}

CALLS = tuple(
    Refactoring(
        f"the call moved, {name}{', to another module' if elsewhere else ''}",
        _moved(site, elsewhere=elsewhere),
    )
    for name, site in _SITES.items()
    for elsewhere in (False, True)
)
