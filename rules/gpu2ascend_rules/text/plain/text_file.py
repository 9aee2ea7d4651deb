"""A file of any kind, as far as findings, edits and ignore comments need to know it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar, cast

from ..lines import LineIndex, with_lone_cr_as_lf
from ..parts.part import Part

_T = TypeVar("_T")
_F = TypeVar("_F", bound="TextFile")
_HEAD = re.compile(rb"(?:#!.*(?:\r\n|\r|\n))?(?:#.*coding[:=].*(?:\r\n|\r|\n))?")


class TextFile:
    """One version of one file. Immutable: an edited text is another object.

    Args:
        text: The whole text, without a byte order mark.
        path: How the file is named to the project view; empty when it has no name.

    Attributes:
        raw: The text as bytes; what edits are made to, and where their offsets count.
        data: These bytes as the language reads them (:meth:`as_read`), at the same offsets.
    """

    comment_mark = "#"
    """What begins a comment that ends with its line; empty where the language has none."""

    def __init__(self, text: str, path: str = "") -> None:
        self.text = text
        self.path = path
        self.raw = text.encode("utf-8", "surrogatepass")
        self.data = self.as_read(self.raw)
        self._known: dict[object, object] = {}
        self.first_data = self.data
        """The text from which edits made this one; the text itself where none did."""
        self._to_first: Callable[[int], int] | None = None

    def derive(self, before: TextFile, given: Callable[[int], int]) -> None:
        """Remember what edits made this text of.

        Args:
            before: The text before the edits.
            given: The offset there of one in this text.
        """
        earlier = before._to_first
        self.first_data = before.first_data
        self._to_first = given if earlier is None else lambda offset: earlier(given(offset))

    def offset_in_first(self, offset: int) -> int:
        """The offset in :attr:`first_data` of one in this text."""
        return self._to_first(offset) if self._to_first is not None else offset

    @staticmethod
    def as_read(raw: bytes) -> bytes:
        """A text, at the same offsets, with an LF where the language ends a line and tree-sitter does not.

        Editors always end a line at a CR, and so do line numbers; not every language does.
        """
        return with_lone_cr_as_lf(raw)

    def renewed(self: _F, text: str) -> _F:
        """Another text in the place of this one: the same path, the same kind."""
        return type(self)(text, self.path)

    def after(self: _F, edits: Sequence[tuple[int, int, str]], data: bytes) -> TextFile:
        """What edits, each a span with its new text, make of this text: ``data``."""
        return self.renewed(data.decode("utf-8", "surrogatepass"))

    def once(self, key: object, compute: Callable[[], _T]) -> _T:
        """What ``compute`` gives, computed for a key at most once for this object.

        It is kept as long as this object is, and must not refer back to it but weakly.
        """
        if key not in self._known:
            self._known[key] = compute()
        return cast(_T, self._known[key])

    def parts(self) -> Iterator[Part]:
        """What it holds of another language, or as a text of its own; each is examined as a file is."""
        return iter(())

    @cached_property
    def lines(self) -> LineIndex:
        """The line index of this text."""
        return LineIndex(self.raw)

    @property
    def newline(self) -> str:
        """The newline of the first line; LF for a text of one line."""
        match = re.search(r"\r\n|\r|\n", self.text[:100_000])
        return match[0] if match else "\n"

    @cached_property
    def ends_lines_with_cr(self) -> bool:
        """Whether lines end with a lone CR throughout."""
        return b"\r" in self.raw and b"\n" not in self.raw

    @property
    def head_end(self) -> int:
        """Where the first lines end that are for the system and must stay the first."""
        head = _HEAD.match(self.raw)
        return head.end() if head is not None else 0

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.raw[start:end].decode("utf-8", "surrogatepass")

    def find_all(self, needle: bytes) -> Iterator[int]:
        """Byte offsets at which ``needle`` occurs anywhere."""
        find = self.data.find
        offset = find(needle)
        while offset >= 0:
            yield offset
            offset = find(needle, offset + 1)

    def comment_at(self, start: int, end: int) -> str | None:
        """The comment in which a part of the text lies, if it does."""
        raise NotImplementedError

    def line_for_comment(self, line: int) -> int:
        """The line, or the first one behind it, at whose end a comment can stand."""
        raise NotImplementedError

    def line_below_comment(self, line: int) -> int | None:
        """The line above which a comment for a line can stand, where none can be behind a line of this
        file; None where one can."""
        return None
