"""The words of a text: each dotted one that stands anywhere in it, code or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...text.parsed_text import ParsedText

LETTERS = rb"\w\x80-\xff"
"""What words are made of, for a pattern; every letter beyond ASCII may be one of an identifier."""
_OF_WORDS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.").union(
    range(128, 256)
)
_TABLE = bytes(byte if byte in _OF_WORDS else 32 for byte in range(256))
_BLANKS = b" \t\f\r\n\\"
_OPEN_END = rb"(?<![%b.])%%b(?:\.[%b]+)*\.(?=(?:[ \t\f\r\n\\]|#[^\n]*\n)+[^\W\d])" % (LETTERS, LETTERS)
"""A dotted word that ends with a dot and goes on behind blanks; ``%`` is for its first name."""
_BLANK_AND_DOT = (b" .", b"\n.", b"\t.", b"\f.", b"\r.")


class Words:
    """The dotted words of a text as they are written: ``self.model.cuda``, ``torch``, ``.item`` of a call."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._spaced = b" %b " % data.translate(_TABLE)

    def __contains__(self, word: bytes) -> bool:
        """Whether a word stands alone somewhere, without a dot."""
        return b" %b " % word in self._spaced

    def below(self, root: bytes) -> set[bytes]:
        """What follows a name and its dot in the dotted words that begin with it."""
        parts = self._spaced.split(b" %b." % root)
        del parts[0]
        return {part.partition(b" ")[0] for part in parts}

    def goes_on_behind_blank(self, root: bytes) -> bool:
        """Whether a dotted word that begins with a name ends with a dot, in code perhaps: ``torch. cuda``."""
        ends = re.finditer(_OPEN_END % root, self._data)
        return any(not _is_in_comment(self._data, match.start()) for match in ends)

    def has_gap_after(self, roots: Iterable[bytes]) -> bool:
        """Whether a dotted name that begins with one of these may have blanks or comments around a dot.

        Such a name is not one word here: ``torch . cuda``.
        """
        known = frozenset(roots)
        return any(_stands_before(self._data, dot, known) for dot in self._dots_after_blanks())

    def _dots_after_blanks(self) -> Iterator[int]:
        for written in _BLANK_AND_DOT:
            at = self._data.find(written)
            while at >= 0:
                if self._data[at + 2 : at + 3] != b".":  # an ellipsis
                    yield at + 1
                at = self._data.find(written, at + 2)


def _stands_before(data: bytes, dot: int, roots: frozenset[bytes]) -> bool:
    """Whether what stands before a dot, and blanks before it, may be a dotted name of one of the roots."""
    if _is_in_comment(data, dot):
        return False
    before = data[max(0, dot - 500) : dot].rstrip(_BLANKS)
    word = last_word(before)
    if word.partition(b".")[0] in roots or not before:
        return True
    return b"#" in before[before.rfind(b"\n") + 1 :]  # a comment, before which the name may stand


def _is_in_comment(data: bytes, at: int) -> bool:
    """Whether a place is behind a ``#`` that is in no string, or in a string that holds them both; where that
    is not sure, it is not."""
    line = data.rfind(b"\n", 0, at) + 1
    sign = data.find(b"#", line, at)
    if sign < 0 or b"'" in data[line:sign] or b'"' in data[line:sign]:
        return False
    behind = data[sign:at]
    is_continued = data[max(0, line - 3) : line].rstrip(b"\r\n").endswith(b"\\")
    return not (is_continued or b"'''" in behind or b'"""' in behind)


def last_word(text: bytes) -> bytes:
    """The dotted word with which a text ends, if it ends with one."""
    start = len(text)
    while start and text[start - 1] in _OF_WORDS:
        start -= 1
    return text[start:]


def places_of(data: bytes, word: bytes) -> Iterator[int]:
    """Where a word stands that is no part of another one and no attribute."""
    find, length = data.find, len(word)
    at = find(word)
    while at >= 0:
        after = data[at + length : at + length + 1]
        if not (at and data[at - 1] in _OF_WORDS) and (
            not after or after == b"." or after[0] not in _OF_WORDS
        ):
            yield at
        at = find(word, at + length)


def words_of(source: ParsedText) -> Words:
    """The words of a text, found when first asked for."""
    return source.once(Words, lambda: Words(source.data))
