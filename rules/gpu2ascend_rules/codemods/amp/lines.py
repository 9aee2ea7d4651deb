"""Lines of several statements, one statement a line: what a transformation of statements begins with."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from ..codemod import Declined


class Split(NamedTuple):
    """A text with some of its lines split."""

    text: str
    breaks: tuple[int, ...]
    """The line in the new text, from 1, of each statement that got a line."""

    def given_line(self, line: int) -> int:
        """The line of the given text, from 1, that a line of the new one comes from."""
        return line - bisect.bisect_right(self.breaks, line)

    def declined(self, reason: Declined) -> Declined:
        """The reason with its place in the given text."""
        reason.line = self.given_line(reason.line)
        return reason


def split_lines(text: str, concerns: Callable[[str], bool], *, suites: bool = False) -> Split:
    """A text in which each statement of the lines ``a; b`` has a line, where ``concerns`` says so of a line.

    Statements behind the colon of another (``if c: a; b``) stay, but for ``suites``.

    Raises:
        libcst.ParserSyntaxError: the text is no Python.
    """
    if ";" not in text and not suites:
        return Split(text, ())
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    splitter = _Splitter(wrapper, concerns, suites)
    new = wrapper.module.visit(splitter)
    starts = sorted(splitter.starts)
    return Split(new.code, tuple(line + count for count, line in enumerate(starts, 1)))


class _Splitter(cst.CSTTransformer):
    def __init__(self, wrapper: MetadataWrapper, concerns: Callable[[str], bool], suites: bool) -> None:
        super().__init__()
        self._suites = suites
        self.starts: list[int] = []
        """The line in the given text of each statement that gets a line."""
        self._positions = wrapper.resolve(PositionProvider)
        self._module = wrapper.module
        self._concerns = concerns

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        if len(updated_node.body) < 2 or not self._concerns(self._module.code_for_node(original_node)):
            return updated_node
        self.starts += [self._positions[item].start.line for item in original_node.body[1:]]
        parts = [item.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for item in updated_node.body]
        first = cst.SimpleStatementLine([parts[0]], leading_lines=updated_node.leading_lines)
        middle = [cst.SimpleStatementLine([part]) for part in parts[1:-1]]
        last = updated_node.with_changes(body=[parts[-1]], leading_lines=())
        return cst.FlattenSentinel([first, *middle, last])

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        if not self._suites or not self._concerns(self._module.code_for_node(original_node)):
            return updated_node
        self.starts += [self._positions[item].start.line for item in original_node.body]
        parts = [item.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for item in updated_node.body]
        lines = [cst.SimpleStatementLine([part]) for part in parts]
        lines[-1] = lines[-1].with_changes(trailing_whitespace=updated_node.trailing_whitespace)
        return cst.IndentedBlock(lines)
