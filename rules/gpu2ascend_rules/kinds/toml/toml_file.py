"""A TOML file as a file of its kind."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_toml
from tree_sitter import Language

from ..packages.places import Index, Requirement
from ..settings.places import Setting, Unread
from ..settings.telling import is_broken_text, is_telling, unread
from ..tree_file import TreeFile
from .dependencies import dependencies_of
from .values import Value, values_of

TOML = Language(tree_sitter_toml.language())
_STRINGS = frozenset({"string"})


class TomlFile(TreeFile):
    """One version of one TOML file."""

    language = TOML
    texts = _STRINGS

    @property
    def is_broken(self) -> bool:
        return self.has_syntax_error and is_broken_text(self.data)

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
