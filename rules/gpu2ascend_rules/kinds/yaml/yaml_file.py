"""A YAML file as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import tree_sitter_yaml
from tree_sitter import Language, Tree

from ...limits.parsing import parse
from ..kind import KindFile
from ..packages.places import Index, Requirement
from ..settings.nodes import comment_over, unfinished_over
from ..settings.places import Setting, Unread
from ..settings.telling import is_telling, unread
from .environments import is_environment, requirements_of
from .values import values_of

YAML = Language(tree_sitter_yaml.language())
_TEXTS = frozenset({"double_quote_scalar", "single_quote_scalar", "block_scalar", "plain_scalar"})
_OF_SERVICES = re.compile(r"(?:^|/)\.(?:github|circleci|gitlab)(?:/|[-.])", re.I)


class YamlFile(KindFile):
    """One version of one YAML file."""

    @cached_property
    def tree(self) -> Tree:
        """Its syntax tree."""
        return parse(self.data, language=YAML)

    @property
    def has_syntax_error(self) -> bool:
        return self.tree.root_node.has_error

    def places(self) -> Iterator[Requirement | Index | Setting | Unread]:
        """Of a file that could not be parsed it is not known what its indentation means."""
        if is_environment(self.data):
            if not self.has_syntax_error:
                yield from requirements_of(self.data, list(values_of(self.tree.root_node)))
        elif not is_telling(self.data) or _OF_SERVICES.search(self.path):
            return
        elif self.has_syntax_error:
            yield from unread(self.data)
        else:
            for value in values_of(self.tree.root_node):
                yield Setting(value.start, value.end, value.keys, value.text)

    def comment_at(self, start: int, end: int) -> str | None:
        return comment_over(self.tree.root_node, start, end)

    def line_for_comment(self, line: int) -> int:
        """None can stand where a line ends within a text of several lines."""
        while True:
            _, end = self.lines.line_span(line)
            if end >= len(self.data):
                return line
            text = unfinished_over(self.tree.root_node, end, _TEXTS)
            if text is None:
                return line
            line = max(line + 1, self.lines.line_of(text.end_byte))
