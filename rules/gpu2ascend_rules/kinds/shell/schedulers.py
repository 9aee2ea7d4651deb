"""What a script asks the scheduler of a cluster for: GPUs, in comments of jobs, commands and variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .places import Command, Directive, Variable, Word

_GPUS = re.compile(
    r"(?<![\w-])(?:--gres(?:-flags)?(?:=| +)[\"']?gpu(?![\w-])[\w:.$\{\}-]*"
    r"|--(?:cpus|mem|ntasks)-per-gpu(?:=| +)[\"']?[\w.$\{\}]+"
    r"|(?:--gpus(?:-per-(?:node|task|socket))?(?:=| +)|-G +(?=\d))(?![\"']?0(?![\w.]))[\"']?[\w:.$\{\}]+)"
)
_RESOURCE = re.compile(
    r"(?<![\w.-])(?:-(?P<option>gpu(?=[ \t])|[A-Za-z])|n?gpus?(?:_\w+)?=(?!0(?![\w.]))[\w.$\{\}]+)"
)
"""An option, or a resource of PBS, LSF or Grid Engine: ``select=1:ngpus=2``, ``-l gpu=2``."""
_OF_RESOURCES = ("l", "R")
"""The options that take resources; others name a job, or give it variables such as ``gpus=2``."""
_OF_SLURM = frozenset({"srun", "sbatch", "salloc"})
_OTHERS = frozenset({"qsub", "bsub"})
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
        find = _GPUS.finditer if place.scheduler == "SBATCH" else _resources
        yield from _found(find, place.text.partition(" #")[0], place.text_start)
    elif isinstance(place, Command):
        is_asked = place.program in _OF_SLURM or place.program in _OTHERS
        options = tuple(_own_options(place.words[1:])) if is_asked else ()
        if options:  # as one text: the value of an option may be a word of its own
            find = _GPUS.finditer if place.program in _OF_SLURM else _resources
            text = data[options[0].start : options[-1].end].decode("utf-8")
            yield from _found(find, text, options[0].start)
    elif place.value is not None and _SCHEDULER_VARIABLE.search(place.name):
        yield from _found(_GPUS.finditer, place.value.raw, place.value.start)


def _resources(text: str) -> Iterator[re.Match[str]]:
    """The GPUs among the resources that options ask for, and LSF's ``-gpu``."""
    option = ""
    for match in _RESOURCE.finditer(text):
        option = match["option"] or option
        if match["option"] == "gpu" or (match["option"] is None and option in _OF_RESOURCES):
            yield match


def _found(find: Callable[[str], Iterable[re.Match[str]]], text: str, start: int) -> Iterator[Asked]:
    for match in find(text):
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
