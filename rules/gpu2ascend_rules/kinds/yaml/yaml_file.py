"""A YAML file as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import tree_sitter_yaml
from tree_sitter import Language

from ..packages.places import Index, Requirement
from ..settings.places import Setting, Unread
from ..settings.telling import Tellings, is_broken_text, unread
from ..tree_file import TreeFile
from .environments import is_environment, requirements_of
from .values import Wanted, values_of

YAML = Language(tree_sitter_yaml.language())
TEXTS = frozenset({"double_quote_scalar", "single_quote_scalar", "block_scalar", "plain_scalar"})
"""The types of nodes that may go on over the end of a line."""
_OF_SERVICES = re.compile(r"(?:^|/)\.(?:github|circleci|gitlab)(?:/|[-.])", re.I)

YamlPlace = Requirement | Index | Setting | Unread


class YamlFile(TreeFile):
    """One version of one YAML file."""

    language = YAML
    texts = TEXTS

    @property
    def is_broken(self) -> bool:
        is_ours = _OF_SERVICES.search(self.path) is None
        return is_ours and self.has_syntax_error and is_broken_text(self.data)

    @cached_property
    def _tellings(self) -> Tellings:
        return Tellings(self.data)

    def read_places(self) -> Iterator[YamlPlace]:
        return self._places(self._tellings.are_in)

    def all_places(self) -> Iterator[YamlPlace]:
        return self._places(None)

    def _places(self, wanted: Wanted | None) -> Iterator[YamlPlace]:
        """Of a file that could not be parsed it is not known what its indentation means."""
        if is_environment(self.data):
            if not self.has_syntax_error:
                yield from requirements_of(self.data, list(values_of(self.tree.root_node)))
        elif not self._tellings or _OF_SERVICES.search(self.path):
            return
        elif self.has_syntax_error:
            yield from unread(self.data)
        else:
            for value in values_of(self.tree.root_node, wanted):
                yield Setting(value.start, value.end, value.keys, value.text)
