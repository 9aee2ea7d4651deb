"""What rules are shown of configurations."""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """A value that is one text. The span is that of the text, without quotes."""

    start: int
    end: int
    keys: tuple[str, ...]
    """The way to it from the top of the file; the place in a list is written as ``[]``."""
    value: str

    @property
    def key(self) -> str:
        """The last key that is a name; empty for a value at the top."""
        return next((key for key in reversed(self.keys) if key != "[]"), "")


class Unread(NamedTuple):
    """A value that may matter in a file that could not be parsed: broken, or a template."""

    start: int
    end: int
    value: str
