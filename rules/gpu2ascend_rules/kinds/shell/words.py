"""What the words of a command are to it: options with their values, variables that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from .places import Command, Use, Variable, Word

SCRIPT_SUFFIXES = (
    *(".sh", ".bash", ".zsh", ".ksh"),
    *(".sbatch", ".slurm", ".slrm", ".sb", ".pbs", ".qsub", ".lsf"),
)
"""What names of shell scripts end with: of shells, and of what schedulers start."""
_OPTION = re.compile(r"(--?[A-Za-z][\w.-]*)=(?=.)|(-[A-Za-z])(?=(?:cuda|npu)(?::\d+)?$|[nh]ccl$)")
"""``--device=cuda``, ``-dcuda``."""
_EXPANSION = re.compile(r"[\"']?\$\{?([A-Za-z_]\w*)(?:\[[@*]\])?\}?[\"']?")
_DEVICE = re.compile(r"(?:cuda|npu)(?::\d+)?")
_NAMED = re.compile(r"\$\{?([A-Za-z_]\w*)")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(?=.)")
_MAKES = frozenset({"make", "gmake"})


class Argument(NamedTuple):
    """A word behind the first of a command."""

    nth: int
    """Which of the words of the command it is in."""
    option: str
    """The option that gets it; empty where it follows none."""
    word: Word


def arguments_of(words: tuple[Word, ...], after: int = 0) -> Iterator[Argument]:
    """The words of a command behind one of them, each with the option that gets it.

    ``--device cuda`` and ``--device=cuda`` give ``cuda`` to ``--device``, ``--device cuda:0 cuda:1`` both;
    other words are not left out.
    """
    taken = ""
    """The option that gets the devices before a word."""
    for index, (before, word) in enumerate(pairwise(words[after:]), after + 1):
        joined = _OPTION.match(word.raw)
        is_device = _DEVICE.fullmatch(word.text or "") is not None
        option = taken if is_device and taken else before.text or ""
        taken = option if is_device and option.startswith("-") else ""
        if joined is not None:
            raw = word.raw[joined.end() :]
            text = word.text[joined.end() :] if word.text is not None else None
            inner = Word(word.start + len(joined[0].encode()), word.end, text, raw)
            yield Argument(index, joined[1] or joined[2], inner)
        is_value = option.startswith("-") and "=" not in option
        if joined is None or not is_value:
            yield Argument(index, option if is_value else "", word)


def positionals_of(words: tuple[Word, ...], after: int = 0) -> tuple[Word, ...]:
    """The words behind one of some words that are neither options nor their values, as far as is seen."""
    found = (item.word for item in arguments_of(words, after) if not item.option)
    return tuple(word for word in found if not word.raw.startswith("-"))


def options_of(words: tuple[Word, ...], after: int = 0) -> Iterator[tuple[str, Word]]:
    """The options behind one of some words with the word that each gets."""
    return ((item.option, item.word) for item in arguments_of(words, after) if item.option)


def variable_in(word: Word) -> str:
    """The variable that a word means; empty where it is no variable, or only a part of the word."""
    match = _EXPANSION.fullmatch(word.raw)
    return match[1] if match is not None else ""


def variables_in(word: Word) -> list[str]:
    """The variables that a word names, each as often as it does: ``"$A/${B}"``."""
    return _NAMED.findall(word.raw)


def given_to_make(command: Command) -> Iterator[Variable]:
    """The variables that a command gives to make: ``$(MAKE) train DEVICE=cuda``."""
    first = command.words[0]
    if variable_in(first) == "MAKE" or (first.text or "").rpartition("/")[2] in _MAKES:
        for word in command.words[1:]:
            match = _ASSIGNED.match(word.raw)
            if match is not None:
                start = word.start + match.end()
                value = Word(
                    start, word.end, (word.text or "")[match.end() :] or None, word.raw[match.end() :]
                )
                yield Variable(word.start, word.start + len(match[1]), match[1], Use.SET, value)
