"""What shell code does with its variables, commands and functions: read once, then looked up by name.

A summary is made in one pass over the places of a file, in time proportional to their number. It is plain
data of one text alone, so that files can be linked by their summaries without a second look at their texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from .places import Command, Function, Loop, Redirection, Use, Variable, Word
from .words import arguments_of, variable_in, variables_in

_T = TypeVar("_T")
_WITH_A_FILE = 2
_PRINTS = frozenset({"echo", "printf", "logger"})


class Passed(NamedTuple):
    """A word of a command that refers to a variable: the value of an option, or an argument without one."""

    at: int
    """Where the command begins."""
    number: int
    """Which of the commands of the summary it is."""
    nth: int
    """Which of the command's words."""
    option: str
    """Empty for an argument without an option."""


class ShellSummary(NamedTuple):
    """What is in a text of shell code. All offsets are in bytes; every list is in the order of the text."""

    commands: tuple[Command, ...]
    calls: Mapping[str, tuple[Command, ...]]
    """The commands that call a function of the same text, by its name."""
    functions: Mapping[str, tuple[Function, ...]]
    sourced: tuple[Word, ...]
    """The files that it reads with ``source`` or ``.``."""
    redirections: tuple[Redirection, ...]
    variables: Mapping[str, tuple[Variable, ...]]
    """Every place that names a variable, by name."""
    sets: Mapping[str, tuple[Variable, ...]]
    """Those that give it a value, for the script or for one command."""
    reads: Mapping[str, tuple[int, ...]]
    """Where its value is asked for."""
    prints: Mapping[str, tuple[int, ...]]
    """Where the commands begin that only show it, once for each time."""
    passed: Mapping[str, tuple[Passed, ...]]
    """The words of commands that are its value and nothing else."""
    loops: Mapping[str, tuple[Loop, ...]]
    """The loops that set it."""

    around: Mapping[int, tuple[Loop, ...]]
    """The loops around a command, by where the command begins; the innermost is the last."""


def summarise(places: Iterable[object]) -> ShellSummary:
    """The summary of the places of one text; of other kinds than those of shell code it has nothing."""
    commands: list[Command] = []
    redirections: list[Redirection] = []
    variables: list[tuple[str, Variable]] = []
    loops: list[tuple[str, Loop]] = []
    around: dict[int, tuple[Loop, ...]] = {}
    open_loops: tuple[Loop, ...] = ()
    functions: list[tuple[str, Function]] = []
    for place in places:
        if isinstance(place, Variable):
            variables.append((place.name, place))
        elif isinstance(place, Command):
            commands.append(place)
            open_loops = _still_open(open_loops, place.start)
            if open_loops:
                around[place.start] = open_loops
        elif isinstance(place, Loop):
            loops.append((place.name, place))
            open_loops = (*_still_open(open_loops, place.start), place)
        elif isinstance(place, Function):
            functions.append((place.name, place))
        elif isinstance(place, Redirection):
            redirections.append(place)
    commands.sort(key=lambda command: command.start)
    defined = _by_name(functions)
    return ShellSummary(
        commands=tuple(commands),
        calls=_by_name(_calls(commands, defined)),
        functions=defined,
        sourced=tuple(_sourced(commands)),
        redirections=tuple(redirections),
        variables=_by_name(variables),
        sets=_by_name(item for item in variables if item[1].use in (Use.SET, Use.PREFIX)),
        reads=_by_name(sorted((name, item.start) for name, item in variables if item.use is Use.READ)),
        prints=_by_name(_prints(commands)),
        passed=_by_name(_passed(commands)),
        loops=_by_name(loops),
        around=around,
    )


def count_in(offsets: tuple[int, ...], start: int, end: int) -> int:
    """How many of some offsets, in order, lie in a span."""
    return bisect_left(offsets, end) - bisect_left(offsets, start)


def _still_open(loops: tuple[Loop, ...], at: int) -> tuple[Loop, ...]:
    """Those that go on at an offset, or over it."""
    while loops and loops[-1].end <= at:
        loops = loops[:-1]
    return loops


def _by_name(items: Iterable[tuple[str, _T]]) -> dict[str, tuple[_T, ...]]:
    known: dict[str, list[_T]] = {}
    for name, item in items:
        known.setdefault(name, []).append(item)
    return {name: tuple(some) for name, some in known.items()}


def _calls(commands: Iterable[Command], functions: Mapping[str, object]) -> Iterator[tuple[str, Command]]:
    for command in commands:
        name = command.words[0].text or ""
        if name in functions:
            yield name, command


def _sourced(commands: Iterable[Command]) -> Iterator[Word]:
    for command in commands:
        if command.words[0].text in ("source", ".") and len(command.words) >= _WITH_A_FILE:
            yield command.words[1]


def _prints(commands: Iterable[Command]) -> Iterator[tuple[str, int]]:
    for command in commands:
        if command.program in _PRINTS and not command.is_captured:
            for word in command.words[1:]:
                yield from ((name, command.start) for name in variables_in(word))


def _passed(commands: Iterable[Command]) -> Iterator[tuple[str, Passed]]:
    known: set[tuple[int, str]] = set()  # a command of a function runs once for each call, too
    for number, command in enumerate(commands):
        for item in arguments_of(command.words):
            name = variable_in(item.word)
            if name and (item.word.start, item.option) not in known:
                known.add((item.word.start, item.option))
                yield name, Passed(command.start, number, item.nth, item.option)
