"""A Python file as the rules see it: a parsed text whose names are resolved."""

from __future__ import annotations

from functools import cached_property

from .names import NameTable
from .parsed_text import ParsedText


class SourceFile(ParsedText):
    """One version of one file. Immutable: an edited text is another ``SourceFile``."""

    @cached_property
    def names(self) -> NameTable:
        """Imports, scopes and qualified names of this file."""
        return NameTable(self)

    def forget_names(self) -> None:
        """Resolve names anew when they are next asked for."""
        self.__dict__.pop("names", None)
