"""The words of a command for the original, where those of the migrated project name the NPU."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OF_THE_ORIGINAL = {"npu": "cuda", "hccl": "nccl"}
"""Words that a migration puts in place of others, as values of options."""
_VALUE = re.compile(
    rf"(?P<option>(?:[\w.+-]+=)?['\"]?)(?P<word>{'|'.join(_OF_THE_ORIGINAL)})(?P<rest>(?::\d+)?['\"]?)"
)


def words_of_original(words: Sequence[str]) -> tuple[str, ...]:
    """A program's arguments as its original takes them: ``--device npu:0`` is ``--device cuda:0`` there.

    The first word is what is started, and stays.
    """
    return (*words[:1], *map(_original, words[1:]))


def _original(word: str) -> str:
    found = _VALUE.fullmatch(word)
    return word if found is None else f"{found['option']}{_OF_THE_ORIGINAL[found['word']]}{found['rest']}"
