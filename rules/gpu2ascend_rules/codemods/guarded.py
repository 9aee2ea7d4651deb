"""Statements below a header of ours, such as ``if is_main_process():``, neighbours below one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from .emptied import EMPTIED

_MARK = "# gpu2ascend: guard"
"""Put behind the headers while the module is being changed; gone when neighbours have been merged."""
_LOOSER = (cst.IfExp, cst.Lambda, cst.NamedExpr)
"""What needs parentheses before ``and``."""
_LONGEST_CONDITION = 80


def under(statement: Any, header: str, module: cst.Module) -> Any:
    """A statement below a header; its leading comments and empty lines stay above it."""
    guard = _parsed(f"{header}  {_MARK}\n    pass\n", module)
    own = statement.with_changes(leading_lines=[])
    body = guard.body.with_changes(body=[own])
    return guard.with_changes(leading_lines=statement.leading_lines, body=body)


def _parsed(text: str, module: cst.Module) -> Any:
    return cst.parse_module(text, module.config_for_parsing).body[0]


def merged_guards(body: Sequence[Any]) -> list[Any]:
    """The statements of a block, neighbours below the same header put together."""
    merged: list[Any] = []
    for statement in body:
        previous: Any = merged[-1] if merged else statement
        if (
            merged
            and _is_marked(statement)
            and _is_marked(previous)
            and _header(previous) == _header(statement)
        ):
            first, *others = statement.body.body
            lines = [_within_block(line) for line in (*statement.leading_lines, *first.leading_lines)]
            joined = [*previous.body.body, first.with_changes(leading_lines=lines), *others]
            merged[-1] = previous.with_changes(body=previous.body.with_changes(body=joined))
        else:
            merged.append(statement)
    return merged


def _within_block(line: cst.EmptyLine) -> cst.EmptyLine:
    """A line above a statement that moves into a block: an empty one stays empty."""
    return line if line.comment is not None else line.with_changes(indent=False)


def joined_condition(statement: cst.If, module: cst.Module) -> cst.If:
    """``if a:`` around nothing but a guard becomes ``if a and is_main_process():``, as one would write it."""
    inner = _only_guard(statement)
    if inner is None:
        return statement
    left = statement.test
    if isinstance(left, _LOOSER) or (
        isinstance(left, cst.BooleanOperation) and isinstance(left.operator, cst.Or) and not left.lpar
    ):
        left = left.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    test = cst.BooleanOperation(left, cst.And(), inner.test)
    if len(module.code_for_node(test)) > _LONGEST_CONDITION:
        return statement
    outer = cst.ensure_type(statement.body, cst.IndentedBlock)
    body = cst.ensure_type(inner.body, cst.IndentedBlock).with_changes(header=outer.header)
    return statement.with_changes(test=test, body=body)


def _only_guard(statement: cst.If) -> cst.If | None:
    """The guard that is all there is below a condition."""
    block = statement.body
    if statement.orelse is not None or not isinstance(block, cst.IndentedBlock) or len(block.body) != 1:
        return None
    inner = block.body[0]
    if not isinstance(inner, cst.If) or not _is_marked(inner) or inner.orelse is not None or block.footer:
        return None
    return inner if not inner.leading_lines else None


def without_marks(code: str) -> str:
    """The module's text when everything is merged, and every branch has been looked at."""
    return code.replace(f"  {_MARK}", "").replace(f"  {EMPTIED}", "")


def _is_marked(statement: Any) -> bool:
    if not isinstance(statement, (cst.If, cst.With)) or not isinstance(statement.body, cst.IndentedBlock):
        return False
    comment = statement.body.header.comment
    return comment is not None and comment.value == _MARK


def _header(statement: Any) -> str:
    shown = statement.with_changes(leading_lines=[], body=cst.SimpleStatementSuite([cst.Pass()]))
    return cst.Module([]).code_for_node(shown)
