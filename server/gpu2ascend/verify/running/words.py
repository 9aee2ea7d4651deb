"""What the words of a command say of devices, and those for the original."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OF_THE_ORIGINAL = {"npu": "cuda", "hccl": "nccl"}
"""Words that a migration puts in place of others, as values of options."""
_NUMBER = re.compile(
    r"(?<!\S)--?(?:cuda|device|gpu|npu)s?(?:[_-]?(?:ids?|index|num))?[ =](\d)(?!\S)|\bnpu:(\d)(?!\d)"
)
_VALUE = re.compile(
    rf"(?P<option>(?:[\w.+-]+=)?['\"]?)(?P<word>{'|'.join(_OF_THE_ORIGINAL)})(?P<rest>(?::\d+)?['\"]?)"
)
_WORD = re.compile(r"[^\s;&|()]+")


def devices_named(words: Sequence[str]) -> int:
    """How many NPUs a machine needs for the numbers that a command names."""
    found = (int(number) for pair in _NUMBER.findall(" ".join(words)) for number in pair if number)
    return max(found, default=-1) + 1


def words_of_original(words: Sequence[str]) -> tuple[str, ...]:
    """A program's arguments as its original takes them: ``--device npu:0`` is ``--device cuda:0`` there.

    The first word is what is started, and stays.
    """
    if tuple(words[:2]) == ("bash", "-c"):
        return (*words[:2], *(_WORD.sub(lambda word: _original(word[0]), text) for text in words[2:]))
    return (*words[:1], *map(_original, words[1:]))


def _original(word: str) -> str:
    found = _VALUE.fullmatch(word)
    return word if found is None else f"{found['option']}{_OF_THE_ORIGINAL[found['word']]}{found['rest']}"
