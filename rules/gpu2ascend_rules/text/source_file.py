"""A Python file as the rules see it: a parsed text whose names are resolved."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TypeVar

from .asked import Asked
from .names import NameTable
from .parsed_text import ParsedText

_S = TypeVar("_S", bound="SourceFile")
_OF_THE_TEXT = ("tree", "_parsed", "hidden", "root", "lines", "attribute_names", "words")
"""Cached properties that do not depend on the path."""


class SourceFile(ParsedText):
    """One version of one file. Immutable: an edited text is another ``SourceFile``."""

    def named(self, path: str) -> SourceFile:
        """The same text under another path. What was found out about the text itself is shared."""
        if path == self.path:
            return self
        other = SourceFile(self.text, path, self.known_tree)
        other.__dict__.update({name: self.__dict__[name] for name in _OF_THE_TEXT if name in self.__dict__})
        return other

    def again(self: _S) -> _S:
        """The same text of which nothing was asked; both are parsed and searched once."""
        other = copy.copy(self)
        other.forget_names()
        other._known, other._same, other.asked = {}, self, Asked()
        return other

    @cached_property
    def names(self) -> NameTable:
        """Imports, scopes and qualified names of this file."""
        return NameTable(self)

    def forget_names(self) -> None:
        """Resolve names anew when they are next asked for."""
        self.__dict__.pop("names", None)
