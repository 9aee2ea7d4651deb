"""YAML: configurations, and the environments of conda."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter_yaml
from tree_sitter import Language

from ...text.climbing import unfinished_over
from ..kind import Kind
from ..packages.places import Index, Requirement
from ..settings import Near, Setting, Unread, is_broken_text, near, unread
from ..tree_file import TreeFile
from .environments import is_environment, requirements_of
from .values import values_of

YAML = Language(tree_sitter_yaml.language())
TEXTS = frozenset({"double_quote_scalar", "single_quote_scalar", "block_scalar", "plain_scalar"})
"""The types of nodes that may go on over the end of a line."""
_BLOCKS = frozenset({"block_scalar"})
_OF_SERVICES = re.compile(r"(?:^|/)\.(?:github|circleci|gitlab)(?:/|[-.])", re.I)

YamlPlace = Requirement | Index | Setting | Unread


def line_of_block(file: TreeFile, line: int) -> int | None:
    """The line on which the block scalar begins that a line belongs to: within one, all is text."""
    root, span = file.tree.root_node, file.lines.line_span(line)
    ends = ((root.descendant_for_byte_range(at, at + 1), at) for at in span)
    block = next(filter(None, (unfinished_over(node, at, _BLOCKS) for node, at in ends)), None)
    return None if block is None else file.lines.line_of(block.start_byte)


class YamlFile(TreeFile):
    """One version of one YAML file."""

    language = YAML
    texts = TEXTS

    @property
    def is_broken(self) -> bool:
        is_ours = _OF_SERVICES.search(self.path) is None
        return is_ours and self.has_syntax_error and is_broken_text(self.data)

    def line_below_comment(self, line: int) -> int | None:
        return line_of_block(self, line)

    def read_places(self) -> Iterator[YamlPlace]:
        return self._places(None)

    def places_about(self, words: Iterable[bytes]) -> Iterator[YamlPlace]:
        return self._places(near(self.data, words))

    def _places(self, is_near: Near | None) -> Iterator[YamlPlace]:
        """Of a file that could not be parsed it is not known what its indentation means."""
        if is_environment(self.data):
            if not self.has_syntax_error:
                yield from requirements_of(self.data, list(values_of(self.tree.root_node)))
        elif _OF_SERVICES.search(self.path):
            return
        elif self.has_syntax_error:
            yield from unread(self.data)
        else:
            for value in values_of(self.tree.root_node, is_near):
                yield Setting(value.start, value.end, value.keys, value.text)


KIND = Kind(
    name="yaml",
    file=YamlFile,
    places=(Requirement, Index, Setting, Unread),
    patterns=("*.yaml", "*.yml", "mlproject"),
    languages=("yaml", "dockercompose"),
    needs=dict.fromkeys((Requirement, Index), b"dependencies"),
)
