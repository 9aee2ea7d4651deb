"""Files of kinds that have a grammar."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from tree_sitter import Language, Tree

from ..limits.parsing import parse
from ..text.climbing import unfinished_over
from .kind import KindFile
from .settings import comment_over


class TreeFile(KindFile):
    """One version of one file that is parsed into a syntax tree."""

    language: ClassVar[Language]
    texts: ClassVar[frozenset[str]] = frozenset()
    """The types of nodes that may go on over the end of a line, where no comment is possible."""

    @cached_property
    def tree(self) -> Tree:
        """Its syntax tree."""
        return parse(self.data, language=self.language)

    @property
    def has_syntax_error(self) -> bool:
        return self.tree.root_node.has_error

    def comment_at(self, start: int, end: int) -> str | None:
        return comment_over(self.tree.root_node, start, end)

    def line_for_comment(self, line: int) -> int:
        """None is possible where a line ends within a text of several lines."""
        while True:
            _, end = self.lines.line_span(line)
            if end >= len(self.data):
                return line
            node = self.tree.root_node.descendant_for_byte_range(end, end + 1)
            text = unfinished_over(node, end, self.texts)
            if text is None:
                return line
            line = max(line + 1, self.lines.line_of(text.end_byte))
