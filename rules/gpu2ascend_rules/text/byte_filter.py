"""A short form of a text that tells what cannot be in it.

To search a text costs about as much as to read it. A *sketch* keeps only a few letters, a fifth of the text,
and a word can only be in a text whose sketch has the word's own sketch.
"""

from __future__ import annotations

from functools import lru_cache

_KEPT = b"_cdghklnpuv"
"""What a sketch keeps: letters that are rare in Python and still tell most words apart."""
_LOWER = bytes(range(256)).lower()
_LEFT_OUT = bytes(set(range(256)) - {*_KEPT, *_KEPT.upper()})
_SHORTEST = 3
"""Characters below which a word's sketch is found in every other file, so that the word itself is sought."""


def sketch(data: bytes) -> bytes:
    """The sketch of a text; the case of letters does not matter to it."""
    return data.translate(_LOWER, _LEFT_OUT)


@lru_cache(maxsize=4096)
def outline(word: bytes) -> bytes:
    """The sketch of a word, or nothing where it would keep too little of it."""
    kept = sketch(word)
    return kept if len(kept) >= _SHORTEST else b""
