"""What a handler needs of a file to find anything in it, asked once per file."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Protocol, TypeAlias

from ..facts import Facts
from ..model.project.project_view import ProjectView
from ..options.options import MigrationOptions
from ..text.parsed_text import ParsedText


class Outline(Protocol):
    """What a question may look at. It looks at a file's text alone, never at its tree."""

    @property
    def source(self) -> ParsedText:
        """The file."""

    @property
    def options(self) -> MigrationOptions:
        """What was chosen."""

    @property
    def project(self) -> ProjectView:
        """The other files."""

    @property
    def facts(self) -> Facts:
        """Names and support for the chosen version and hardware."""


Need: TypeAlias = str | Callable[[Outline], bool]
"""Without what a file has nothing for a handler: a word that stands alone, or that a question is answered by
yes. Every file has the empty word."""


def has_word(data: bytes, word: str) -> bool:
    """Whether a text holds a word that is no part of a longer one."""
    return word.encode() in data and _whole(word.encode()).search(data) is not None


@cache
def _whole(word: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w\x80-\xff])%b(?![\w\x80-\xff])" % re.escape(word))
