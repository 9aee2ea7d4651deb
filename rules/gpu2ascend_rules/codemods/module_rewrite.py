"""Carries operations out on a whole module with LibCST, which keeps its comments and its layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from ..rewrite import RewriteDeclined
from ..rewrite.calls import change_call
from ..rewrite.depth import MAX_DEPTH, is_deeper_than
from ..text.source_file import SourceFile
from .emptied import nothing_left, without_empty_branches
from .guarded import joined_condition, merged_guards, under
from .module_top import is_docstring, with_top
from .operations import EXPRESSIONS, STATEMENTS, Operation, OperationKind

_Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
_Block = cst.Module | cst.IndentedBlock
_NO_SEMICOLON = cst.MaybeSentinel.DEFAULT
_DEEP_MODULE = MAX_DEPTH * 3
"""Statements nest, and expressions within them; LibCST's parser takes a good deal more than this."""


def rewrite_module(source: SourceFile, operations: Iterable[Operation]) -> str:
    """The text of a file after operations.
    Raises RewriteDeclined: LibCST does not parse the file, or one of the operations finds no node."""
    if is_deeper_than(source.root, _DEEP_MODULE):
        raise RewriteDeclined(source.path)
    try:
        module = cst.parse_module(source.text)
    except cst.ParserSyntaxError as error:
        raise RewriteDeclined(source.path) from error
    wanted = list(operations)
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    rewriter = _Rewriter(module, wanted)
    try:
        changed = with_top(wrapper.visit(rewriter), wanted)
    except (cst.ParserSyntaxError, cst.CSTValidationError) as error:  # new text in an unforeseen layout
        raise RewriteDeclined(source.path) from error
    if rewriter.left:
        raise RewriteDeclined(f"{source.path}: {rewriter.left[0]}")
    return changed.code


class _Rewriter(cst.CSTTransformer):
    """Does what is asked for at each node; the inner nodes come first."""

    METADATA_DEPENDENCIES = (ByteSpanPositionProvider,)

    def __init__(self, module: cst.Module, operations: Sequence[Operation]) -> None:
        super().__init__()
        self._module = module
        self._expressions: dict[tuple[int, int], list[Operation]] = {}
        self._statements: dict[int, list[Operation]] = {}
        self._later_branches: set[cst.CSTNode | None] = set()
        for operation in operations:
            if operation.kind in EXPRESSIONS:
                self._expressions.setdefault((operation.start, operation.end), []).append(operation)
            elif operation.kind in STATEMENTS:
                self._statements.setdefault(operation.start, []).append(operation)

    @property
    def left(self) -> list[Operation]:
        """The operations that found no node."""
        return [item for items in (*self._expressions.values(), *self._statements.values()) for item in items]

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Do what is asked for at a node."""
        if isinstance(original_node, cst.BaseExpression):
            return self._expression(original_node, updated_node)
        if isinstance(original_node, cst.SimpleStatementSuite):
            return self._suite(original_node, updated_node)
        if isinstance(original_node, cst.If):
            updated_node = self._branches(original_node, joined_condition(updated_node, self._module))
        if isinstance(original_node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            return self._statement(original_node, updated_node)
        if isinstance(original_node, (cst.IndentedBlock, cst.Module)):
            return self._block(updated_node)
        return super().on_leave(original_node, updated_node)

    def visit_If(self, node: cst.If) -> None:
        """Remember the branches that belong to others."""
        self._later_branches.add(node.orelse)

    def _branches(self, node: cst.If, updated: cst.If) -> cst.If:
        """A statement without branches that have nothing left; it goes itself where none has anything."""
        if node in self._later_branches:
            return updated
        left = without_empty_branches(updated)
        if left is None:
            start = self._start(node)
            self._statements.setdefault(start, []).append(Operation(OperationKind.REMOVE, start))
        return left or updated

    def _expression(self, node: cst.BaseExpression, updated: cst.BaseExpression) -> cst.BaseExpression:
        span = self.get_metadata(ByteSpanPositionProvider, node)
        for operation in self._expressions.pop((span.start, span.start + span.length), ()):
            if operation.kind is OperationKind.CALL:
                updated = change_call(operation.steps)(updated)
            elif operation.kind is OperationKind.ARGUMENT:
                updated = _argument(updated, operation.text)
            else:
                updated = self._templated(updated, operation.text)
        return updated

    def _templated(self, expression: cst.BaseExpression, template: str) -> cst.BaseExpression:
        code = self._module.code_for_node(expression)
        new = cst.parse_expression(template.replace("$0", code), self._module.config_for_parsing)
        return new

    def _suite(self, node: cst.SimpleStatementSuite, updated: cst.SimpleStatementSuite) -> cst.BaseSuite:
        """``if x: f()`` as a block, when something happens to a statement in it."""
        line = cst.SimpleStatementLine(updated.body, trailing_whitespace=updated.trailing_whitespace)
        changed = self._line(node.body, line)
        if changed is None:
            return updated
        return cst.IndentedBlock(merged_guards(changed) or [nothing_left()])

    def _statement(self, node: _Statement, updated: _Statement) -> Any:
        if isinstance(updated, cst.SimpleStatementLine):
            changed = self._line(node.body, updated)  # type: ignore[arg-type]
        else:
            operations = self._statements.pop(self._start(node), [])
            changed = self._changed(updated, operations) if operations else None
        if changed is None:
            return updated
        return cst.FlattenSentinel(changed) if changed else cst.RemoveFromParent()

    def _line(
        self, nodes: Sequence[cst.BaseSmallStatement], line: cst.SimpleStatementLine
    ) -> list[_Statement] | None:
        """The statements of a line, each that something happens to on a line of its own; None for nothing."""
        wanted = [self._statements.pop(self._start(small), []) for small in nodes]
        if not any(wanted):
            return None
        parts = _apart(line, [bool(operations) for operations in wanted])
        groups = [operations for operations in wanted if operations]
        return [
            item
            for part, is_wanted in parts
            for item in (self._changed(part, groups.pop(0)) if is_wanted else [part])
        ]

    def _start(self, node: cst.CSTNode) -> int:
        return int(self.get_metadata(ByteSpanPositionProvider, node).start)

    def _changed(self, statement: _Statement, operations: Sequence[Operation]) -> list[_Statement]:
        texts = {kind: [item.text for item in operations if item.kind is kind] for kind in OperationKind}
        for text in texts[OperationKind.BODY_START]:
            statement = _with_body(statement, self._parsed(text), at_end=False)
        for text in texts[OperationKind.BODY_END]:
            statement = _with_body(statement, self._parsed(text), at_end=True)
        for header in dict.fromkeys(texts[OperationKind.UNDER]):
            statement = under(statement, header, self._module)
        before = [item for text in texts[OperationKind.BEFORE] for item in self._parsed(text)]
        after = [item for text in texts[OperationKind.AFTER] for item in self._parsed(text)]
        own = [] if texts[OperationKind.REMOVE] else [statement]
        if before and own:
            before[0] = before[0].with_changes(leading_lines=statement.leading_lines)
            own = [statement.with_changes(leading_lines=[])]
        return [*before, *own, *after]

    def _parsed(self, text: str) -> list[_Statement]:
        body = cst.parse_module(text, self._module.config_for_parsing).body
        return list(body)

    def _block(self, updated: _Block) -> _Block:
        body: list[_Statement] = merged_guards(updated.body)
        if not body and isinstance(updated, cst.IndentedBlock):
            body = [nothing_left()]
        return updated.with_changes(body=body)


def _apart(
    line: cst.SimpleStatementLine, alone: Sequence[bool]
) -> list[tuple[cst.SimpleStatementLine, bool]]:
    """A line of several statements as several lines: those that stand alone, and what is between them."""
    groups: list[tuple[list[cst.BaseSmallStatement], bool]] = []
    for small, is_alone in zip(line.body, alone, strict=True):
        if is_alone or not groups or groups[-1][1]:
            groups.append(([small], is_alone))
        else:
            groups[-1][0].append(small)
    lines = []
    for index, (body, is_alone) in enumerate(groups):
        is_last = index == len(groups) - 1
        ended = [*body[:-1], body[-1] if is_last else body[-1].with_changes(semicolon=_NO_SEMICOLON)]
        end = line.trailing_whitespace if is_last else cst.TrailingWhitespace()
        above = line.leading_lines if index == 0 else ()
        lines.append((cst.SimpleStatementLine(ended, leading_lines=above, trailing_whitespace=end), is_alone))
    return lines


def _argument(call: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """An argument of a call on its own, in parentheses where it was safe between the call's."""
    if not isinstance(call, cst.Call) or not call.args:
        raise RewriteDeclined("no call")
    named = [item for item in call.args if item.keyword is not None and item.keyword.value == name]
    value = (named or list(call.args))[0].value
    plain = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
    if isinstance(value, plain) or value.lpar:
        return value
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _with_body(statement: _Statement, new: Sequence[_Statement], *, at_end: bool) -> _Statement:
    if isinstance(statement, cst.SimpleStatementLine):
        raise RewriteDeclined("no compound statement")
    body = statement.body
    if isinstance(body, cst.SimpleStatementSuite):
        body = cst.IndentedBlock([cst.SimpleStatementLine(body.body)])
    if not isinstance(body, cst.IndentedBlock):
        raise RewriteDeclined("no block")
    place = len(body.body) if at_end else int(bool(body.body) and is_docstring(body.body[0]))
    lines = [*body.body[:place], *new, *body.body[place:]]
    return statement.with_changes(body=body.with_changes(body=lines))
