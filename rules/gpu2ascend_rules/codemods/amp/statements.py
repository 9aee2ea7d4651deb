"""A transformer that puts statements before and behind others, and loses no comment of those that go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from .module import Module

_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


class StatementTransformer(cst.CSTTransformer):
    """Subclasses change nodes by ``leave_...`` methods, and say by hooks what is new around statements."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module
        self.became: dict[cst.CSTNode, list[Any]] = {}
        """What each statement has become, with what is new around it."""
        self._carried: dict[cst.CSTNode, list[cst.EmptyLine]] = {}
        self._footers: dict[cst.CSTNode, list[cst.EmptyLine]] = {}

    def in_front(self, statement: cst.CSTNode) -> Iterable[str]:
        """The code of the statements to put before a statement of the old module."""
        return ()

    def behind(self, statement: cst.CSTNode) -> Iterable[str]:
        """The code of the statements to put behind it."""
        return ()

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> Any:
        """What a node becomes."""
        result: Any = super().on_leave(original_node, updated_node)
        if isinstance(original_node, (cst.IndentedBlock, cst.Module)):
            return self._block(original_node, result)
        if not isinstance(original_node, _STATEMENTS):
            return result
        kept = _listed(result)
        if not kept:
            self._keep_comments(original_node, updated_node)
        statements = [*_put_in_front(tuple(self.in_front(original_node)), kept)]
        statements += [parsed(code) for code in self.behind(original_node)]
        carried = self._carried.pop(original_node, [])
        if carried and statements:
            first = statements[0]
            statements[0] = first.with_changes(leading_lines=[*carried, *first.leading_lines])
        elif carried:
            self._carry(original_node, carried)
        self.became[original_node] = statements
        return statements[0] if len(statements) == 1 else cst.FlattenSentinel(statements)

    def _block(self, node: cst.CSTNode, block: Any) -> Any:
        """A block that lost its last statement does nothing; the comments of that stay at its end."""
        body = block.body
        if not body and isinstance(block, cst.IndentedBlock):
            body = [cst.SimpleStatementLine([cst.Pass()])]
        return block.with_changes(body=body, footer=[*self._footers.pop(node, []), *block.footer])

    def _keep_comments(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> None:
        lines = [line for line in getattr(updated_node, "leading_lines", ()) if line.comment is not None]
        trailing = getattr(updated_node, "trailing_whitespace", None)
        if trailing is not None and trailing.comment is not None:
            lines.append(cst.EmptyLine(comment=trailing.comment))
        if lines:
            self._carry(original_node, lines)

    def _carry(self, node: cst.CSTNode, lines: list[cst.EmptyLine]) -> None:
        """Hand comments to the statement behind, or to the end of the block."""
        block, index = self.module.blocks(node)[-1]
        body: Sequence[cst.CSTNode] = block.body
        if index + 1 < len(body):
            self._carried.setdefault(body[index + 1], []).extend(lines)
        else:
            self._footers.setdefault(block, []).extend(lines)


def parsed(code: str) -> Any:
    """A statement from its code."""
    return cst.parse_statement(f"{code}\n")


def without(names: Sequence[cst.ImportAlias]) -> list[cst.ImportAlias]:
    """The names that an import keeps, without a comma behind the last."""
    return [*names[:-1], names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]


def _listed(result: Any) -> list[Any]:
    if result is cst.RemovalSentinel.REMOVE:
        return []
    return list(result) if isinstance(result, cst.FlattenSentinel) else [result]


def _put_in_front(codes: Sequence[str], statements: list[Any]) -> list[Any]:
    """Statements with new ones before them, which take the leading comments of the first."""
    if not codes or not statements:
        return [*(parsed(code) for code in codes), *statements]
    first, *others = (parsed(code) for code in codes)
    old, *rest = statements
    is_definition = isinstance(old, (cst.FunctionDef, cst.ClassDef))
    blank_lines = [cst.EmptyLine(indent=False)] * 2 if is_definition else []
    new = first.with_changes(leading_lines=old.leading_lines)
    return [new, *others, old.with_changes(leading_lines=blank_lines), *rest]
