"""What a script asks the scheduler of a cluster for: GPUs, in Slurm's comments, commands and variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .places import Command, Directive, Variable, Word

_GPUS = re.compile(
    r"(?<![\w-])(?:--gres(?:-flags)?(?:=| +)[\"']?gpu(?![\w-])[\w:.$\{\}-]*"
    r"|(?:--gpus(?:-per-(?:node|task|socket))?(?:=| +)|-G +(?=\d))(?![\"']?0(?![\w.]))[\"']?[\w:.$\{\}]+)"
)
_SCHEDULERS = frozenset({"srun", "sbatch", "salloc"})
_SCHEDULER_VARIABLE = re.compile(r"sbatch|srun|slurm|salloc", re.I)


class Asked(NamedTuple):
    """An option that asks for GPUs."""

    start: int
    end: int
    option: str


def gpus_asked_for(place: Directive | Command | Variable, data: bytes) -> Iterator[Asked]:
    """The options by which a comment of a job, a command of a scheduler, or a variable with options for one
    asks for GPUs."""
    if isinstance(place, Directive):
        if place.scheduler == "SBATCH":
            yield from _found(place.text.partition(" #")[0], place.text_start)
    elif isinstance(place, Command):
        options = tuple(_own_options(place.words[1:])) if place.program in _SCHEDULERS else ()
        if options:  # as one text: the value of an option may be a word of its own
            yield from _found(data[options[0].start : options[-1].end].decode("utf-8"), options[0].start)
    elif place.value is not None and _SCHEDULER_VARIABLE.search(place.name):
        yield from _found(place.value.raw, place.value.start)


def _found(text: str, start: int) -> Iterator[Asked]:
    for match in _GPUS.finditer(text):
        first = start + len(text[: match.start()].encode())
        yield Asked(first, first + len(match[0].encode()), match[0])


def _own_options(words: tuple[Word, ...]) -> Iterator[Word]:
    """The options of a scheduler's command, without those of the program that it starts."""
    is_value = False
    for word in words:
        if not word.raw.startswith("-") and not is_value:
            return
        yield word
        is_value = word.raw.startswith("-") and "=" not in word.raw and not is_value
