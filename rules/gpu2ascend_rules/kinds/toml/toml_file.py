"""A TOML file as a file of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import tree_sitter_toml
from tree_sitter import Language, Tree

from ...limits.parsing import parse
from ..kind import KindFile
from ..packages.places import Index, Requirement
from ..settings.nodes import comment_over, unfinished_over
from ..settings.places import Setting, Unread
from ..settings.telling import is_telling, unread
from .dependencies import dependencies_of
from .values import Value, values_of

TOML = Language(tree_sitter_toml.language())
_STRINGS = frozenset({"string"})


class TomlFile(KindFile):
    """One version of one TOML file."""

    @cached_property
    def tree(self) -> Tree:
        """Its syntax tree."""
        return parse(self.data, language=TOML)

    @property
    def has_syntax_error(self) -> bool:
        return self.tree.root_node.has_error

    def places(self) -> Iterator[Requirement | Index | Setting | Unread]:
        name = self.path.lower().replace("\\", "/").rpartition("/")[2]
        values: list[Value] = list(values_of(self.tree.root_node))
        if name in ("pyproject.toml", "pipfile"):
            yield from dependencies_of(self.data, values, is_pipfile=name == "pipfile")
            return
        if not is_telling(self.data):
            return
        if self.has_syntax_error:
            yield from unread(self.data)
            return
        for value in values:
            yield Setting(value.start, value.end, value.keys, value.text)

    def comment_at(self, start: int, end: int) -> str | None:
        return comment_over(self.tree.root_node, start, end)

    def line_for_comment(self, line: int) -> int:
        """None can stand where a line ends within a string."""
        while True:
            _, end = self.lines.line_span(line)
            if end >= len(self.data):
                return line
            string = unfinished_over(self.tree.root_node, end, _STRINGS)
            if string is None:
                return line
            line = max(line + 1, self.lines.line_of(string.end_byte))
