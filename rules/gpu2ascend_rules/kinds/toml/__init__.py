"""TOML: lists of dependencies, and configurations."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_toml
from tree_sitter import Language

from ..kind import Kind
from ..packages.places import Index, Requirement
from ..settings import Setting, Unread, is_broken_text, is_template, unread
from ..tree_file import TreeFile
from .dependencies import dependencies_of
from .values import Value, values_of

TOML = Language(tree_sitter_toml.language())
_STRINGS = frozenset({"string"})
_LISTS = ("pyproject.toml", "pipfile")
"""Lists of dependencies, by name."""


class TomlFile(TreeFile):
    """One version of one TOML file."""

    language = TOML
    texts = _STRINGS

    @property
    def is_broken(self) -> bool:
        if not self.has_syntax_error:
            return False
        return not is_template(self.data) if self._name in _LISTS else is_broken_text(self.data)

    @property
    def _name(self) -> str:
        return self.path.lower().replace("\\", "/").rpartition("/")[2]

    def read_places(self) -> Iterator[Requirement | Index | Setting | Unread]:
        if self._name in _LISTS:
            if not self.has_syntax_error:
                yield from dependencies_of(self.data, self._values(), is_pipfile=self._name == "pipfile")
            return
        if self.has_syntax_error:
            yield from unread(self.data)
            return
        for value in self._values():
            yield Setting(value.start, value.end, value.keys, value.text)

    def _values(self) -> list[Value]:
        return list(values_of(self.tree.root_node))


KIND = Kind(
    name="toml",
    file=TomlFile,
    places=(Requirement, Index, Setting, Unread),
    patterns=("*.toml", "pipfile"),
    languages=("toml",),
)
