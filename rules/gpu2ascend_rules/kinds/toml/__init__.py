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
_PACKAGERS = frozenset(
    {
        "bazel", "bumpversion", "cibuildwheel", "conda-lock", "flit", "hatch", "maturin", "pdm", "pixi",
        "poetry", "pyright", "mypy", "ruff", "black", "isort", "coverage", "scikit-build", "setuptools",
        "setuptools_scm", "spin", "uv",
    }
)  # fmt: skip
"""Tools whose tables are about packages and checks of code."""


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
                values = self._values()
                yield from dependencies_of(self.data, values, is_pipfile=self._name == "pipfile")
                yield from (_setting(value) for value in values if _is_of_program(value.keys))
            return
        if self.has_syntax_error:
            yield from unread(self.data)
            return
        yield from map(_setting, self._values())

    def _values(self) -> list[Value]:
        return list(values_of(self.tree.root_node))


def _setting(value: Value) -> Setting:
    return Setting(value.start, value.end, value.keys, value.text)


def _is_of_program(keys: tuple[str, ...]) -> bool:
    """Whether a value of a list of dependencies is below the table of a tool that makes no packages of it."""
    return len(keys) > 2 and keys[0] == "tool" and keys[1] not in _PACKAGERS


KIND = Kind(
    name="toml",
    file=TomlFile,
    places=(Requirement, Index, Setting, Unread),
    patterns=("*.toml", "pipfile"),
    languages=("toml",),
)
