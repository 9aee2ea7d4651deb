"""A word gets a name: in its function, its module or another one, which is imported in every way there is."""

from __future__ import annotations

import ast

from ..marked import Files
from .refactoring import MAIN, Refactoring, Target


def _constant(target: Target) -> Files:
    return {MAIN: target.program.replaced(target.node, "WORD", f"WORD = {target.literal}")}


def _local(target: Target) -> Files | None:
    """A variable in the line before."""
    program = target.program
    statement = next((item for item in program.around(target.node) if isinstance(item, ast.stmt)), None)
    simple = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert, ast.If, ast.With)
    scopes = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    around = list(program.around(target.node))
    if not isinstance(statement, simple) or any(isinstance(item, scopes) for item in around):
        return None
    if any(isinstance(item, ast.ClassDef) for item in around[: around.index(statement) + 2]):
        return None
    start, _ = program.span(statement)
    line = program.text.rfind("\n", 0, start) + 1
    if program.text[line:start].strip() or program.text.startswith("elif", start):
        return None
    replaced = program.replaced(target.node, "word")
    return {MAIN: f"{replaced[:start]}word = {target.literal}\n{program.text[line:start]}{replaced[start:]}"}


def _elsewhere(statement: str, expression: str, **others: str) -> Refactoring:
    """A constant of the module ``words``, or of ``pkg.words``."""
    is_below = "pkg" in statement

    def apply(target: Target) -> Files:
        files = {MAIN: target.program.replaced(target.node, expression, statement)}
        files["pkg/words.py" if is_below else "words.py"] = f"WORD = {target.literal}\n"
        if is_below:
            files["pkg/__init__.py"] = others.get("package", "")
        return files

    return Refactoring(f"a constant: {others.get('package', '')}{statement}", apply)


def _alias(target: Target) -> Files:
    return {
        MAIN: target.program.replaced(target.node, "PLACE", "from names import PLACE"),
        "names.py": "from words import WORD\nPLACE = WORD\n",
        "words.py": f"WORD = {target.literal}\n",
    }


def _inlined(target: Target) -> Files | None:
    """The word in the place of a name that stands for nothing else."""
    program, parent = target.program, target.program.parents[target.node]
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return None
    name = parent.targets[0]
    if not isinstance(name, ast.Name):
        return None
    uses = [item for item in ast.walk(program.tree) if isinstance(item, ast.Name) and item.id == name.id]
    if len(uses) != 2 or any(isinstance(item, ast.Global) for item in ast.walk(program.tree)):
        return None
    use = next(item for item in uses if item is not name)
    if isinstance(program.parents[use], ast.FormattedValue):
        return None
    return {MAIN: program.replaced(use, target.literal).replace(program.source(parent), "pass", 1)}


NAMES = (
    Refactoring("a constant of the module", _constant),
    Refactoring("a variable", _local),
    _elsewhere("from words import WORD", "WORD"),
    _elsewhere("from words import WORD as OTHER", "OTHER"),
    _elsewhere("import words", "words.WORD"),
    _elsewhere("from words import *", "WORD"),
    _elsewhere("import pkg.words as kept", "kept.WORD"),
    _elsewhere("import pkg.words", "pkg.words.WORD"),
    _elsewhere("from pkg import words", "words.WORD"),
    _elsewhere("from pkg import WORD", "WORD", package="from .words import WORD\n"),
    _elsewhere("import pkg", "pkg.WORD", package="from .words import *\n"),
    Refactoring("an alias in another module", _alias),
    Refactoring("inlined", _inlined),
)
