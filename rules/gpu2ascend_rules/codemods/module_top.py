"""Where the imports and the helper functions of a codemod go in a module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import libcst as cst

from .guarded import without_marks
from .operations import Operation, OperationKind


def with_top(module: cst.Module, operations: Iterable[Operation]) -> cst.Module:
    """A module with the imports, the helpers and the closing statements that operations ask for."""
    texts: dict[OperationKind, list[str]] = {kind: [] for kind in OperationKind}
    for operation in operations:
        if operation.text not in texts[operation.kind]:
            texts[operation.kind].append(operation.text)
    module = cst.parse_module(without_marks(module.code), module.config_for_parsing)
    imports = _parsed("".join(texts[OperationKind.MODULE_TOP]), module)
    helpers = _spaced(_parsed("\n\n".join(texts[OperationKind.HELPERS]), module), 2)
    place = _after_imports(module.body)
    body = [*module.body[:place], *imports, *helpers, *_set_off(module.body[place:], bool(helpers))]
    ending = _spaced(_parsed("".join(texts[OperationKind.MODULE_END]), module), 1)
    return module.with_changes(body=[*body, *ending])


def _parsed(text: str, module: cst.Module) -> list[Any]:
    return list(cst.parse_module(text, module.config_for_parsing).body) if text else []


def _spaced(statements: list[Any], lines: int) -> list[Any]:
    if statements:
        blank = [cst.EmptyLine(indent=False)] * lines
        statements[0] = statements[0].with_changes(leading_lines=blank)
    return statements


def _set_off(rest: Any, after_helpers: bool) -> list[Any]:
    """What follows the helpers, two empty lines below them."""
    statements = list(rest)
    if after_helpers and statements:
        first = statements[0]
        lines = list(first.leading_lines)
        while lines and lines[0].comment is None:
            lines.pop(0)
        blank = [cst.EmptyLine(indent=False)] * 2
        statements[0] = first.with_changes(leading_lines=[*blank, *lines])
    return statements


def _after_imports(body: Any) -> int:
    """The place behind the leading imports, and behind the first import of torch at module level."""
    leading = torch = 0
    is_leading = True
    for index, statement in enumerate(body):
        if _is_import(statement):
            leading = index + 1 if is_leading else leading
            torch = torch or (index + 1 if _imports_torch(statement) else 0)
        elif not _may_stand_among_imports(statement):
            is_leading = False
    if not leading and not torch and body and is_docstring(body[0]):
        return 1
    return max(leading, torch)


def _is_import(statement: Any) -> bool:
    if isinstance(statement, cst.Try):
        return any(_is_import(item) for item in statement.body.body)
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(small, (cst.Import, cst.ImportFrom)) for small in statement.body
    )


def _imports_torch(statement: Any) -> bool:
    text = cst.Module([]).code_for_node(statement.with_changes(leading_lines=[]))
    return any(word.startswith("torch") for word in text.replace(",", " ").split())


def _may_stand_among_imports(statement: Any) -> bool:
    """A docstring, a setting of the environment, of the path or of a library, or a choice of imports."""
    if isinstance(statement, cst.SimpleStatementLine):
        return all(isinstance(small, cst.Expr) or _sets_environment(small) for small in statement.body)
    return False


def _sets_environment(small: Any) -> bool:
    if not isinstance(small, cst.Assign):
        return False
    target = small.targets[0].target
    name = target.value if isinstance(target, cst.Subscript) else target
    code = cst.Module([]).code_for_node(name)
    return code == "os.environ" or (code.startswith("__") and code.endswith("__"))


def is_docstring(statement: Any) -> bool:
    """Whether a statement is a text alone, which opens a module, a class or a function."""
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString))
    )
