"""Statements below a header of ours, such as ``if is_main_process():``, neighbours below one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

_MARK = "# gpu2ascend: guard"
"""Put behind the headers while the module is being changed; gone when neighbours have been merged."""


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
            lines = [*statement.leading_lines, *first.leading_lines]
            joined = [*previous.body.body, first.with_changes(leading_lines=lines), *others]
            merged[-1] = previous.with_changes(body=previous.body.with_changes(body=joined))
        else:
            merged.append(statement)
    return merged


def without_marks(code: str) -> str:
    """The module's text when everything is merged."""
    return code.replace(f"  {_MARK}", "")


def _is_marked(statement: Any) -> bool:
    if not isinstance(statement, (cst.If, cst.With)) or not isinstance(statement.body, cst.IndentedBlock):
        return False
    comment = statement.body.header.comment
    return comment is not None and comment.value == _MARK


def _header(statement: Any) -> str:
    shown = statement.with_changes(leading_lines=[], body=cst.SimpleStatementSuite([cst.Pass()]))
    return cst.Module([]).code_for_node(shown)
