"""The words of a text: what a search for very many of them looks at, instead of the text for each."""

from __future__ import annotations

import re

WORD = re.compile(rb"[\w\x80-\xff]+")
"""Every letter beyond ASCII may be one of an identifier."""
_BETWEEN = bytes(code if WORD.fullmatch(bytes([code])) else ord(" ") for code in range(256))
"""Other bytes become spaces: to split at those takes half the time of a pattern."""


def words_in(text: bytes) -> list[bytes]:
    """The words of a text, in code or anywhere else, each as often as it occurs."""
    return text.translate(_BETWEEN).split()
