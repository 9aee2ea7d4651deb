"""What the options of a command are given that may be a device or a back end.

A value stands in the command itself, in a variable, or among the words that a loop goes through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ...engine.places.context import PlaceContext
from ...flow.command_line.programs import program_in
from ...kinds.shell.places import Command, Loop, Use, Variable, Word

_TEXTS = r"cuda(?::\d+)?|nccl|NCCL|gpu"
VALUE = re.compile(_TEXTS)
DEFAULT = re.compile(rf"[\"']?\$\{{\w+:?[-=][\"']?({_TEXTS})[\"']?\}}[\"']?")
"""``${DEVICE:-cuda}``: a variable, or a value where it is not set."""
_NUMBERED = re.compile(r"[\"']?cuda:(?:[$`{].*)?[\"']?")
"""``cuda:$i``, and ``cuda:`` alone before what is make's own."""
_OPTION = re.compile(r"(--?[A-Za-z][\w-]*)=(?=.)")
_IN_TEXT = re.compile(rf"(?<![\w-])(--?[A-Za-z][\w-]*)(?:=|\s+)[\"']?({_TEXTS})(?![\w./:-])")
_ITEM = re.compile(rf"(?<![^\s\"'(])(?:{_TEXTS})(?![^\s\"')])")
_EXPANSION = re.compile(r"[\"']?\$\{?([A-Za-z_]\w*)(?:\[[@*]\])?\}?[\"']?")
_ANY_NUMBER = ":0"
_PRINTS = frozenset({"echo", "printf", "logger"})


class Given(NamedTuple):
    """A value that an option of a command gets; the span is what must be written anew."""

    option: str
    value: str
    start: int
    end: int
    is_shared: bool = False
    """Whether the script uses the value for something else, too."""
    is_numbered: bool = False
    """Whether the span is the ``cuda`` of ``cuda:$i``."""

    @property
    def word(self) -> Word:
        """The text at the span."""
        text = self.value.removesuffix(_ANY_NUMBER) if self.is_numbered else self.value
        return Word(self.start, self.end, text, text)

    def written(self, new: str) -> str:
        """What stands at the span if the option gets a new value."""
        return new.removesuffix(_ANY_NUMBER) if self.is_numbered else new


def given_in(command: Command, ctx: PlaceContext) -> Iterator[Given]:
    """The values that the options of a command get which starts a program of Python."""
    at = program_in(command, ctx)
    if at is None:
        return
    for option, word in options_of(command.words[at:]):
        yield from _values(option, word)
        yield from _of_variable(option, word, command, ctx)
    for word in command.words[at + 1 :]:
        yield from _in_variable(word, ctx)


def options_of(words: tuple[Word, ...]) -> Iterator[tuple[str, Word]]:
    """The options among some words with the word that each gets: ``--device cuda`` and ``--device=cuda``."""
    for before, word in pairwise(words):
        joined = _OPTION.match(word.raw)
        option = before.text or ""
        if joined is not None:
            raw = word.raw[joined.end() :]
            text = word.text[joined.end() :] if word.text is not None else None
            yield joined[1], Word(word.start + len(joined[0].encode()), word.end, text, raw)
        elif option.startswith("-") and "=" not in option:
            yield option, word


def variable_in(word: Word) -> str:
    """The variable that a word stands for; empty where it is none, or only a part of the word."""
    match = _EXPANSION.fullmatch(word.raw)
    return match[1] if match is not None else ""


def is_given(name: str, words: tuple[Word, ...]) -> bool:
    """Whether an option among some words gets a variable's value."""
    return any(variable_in(word) == name for _, word in options_of(words))


def loops(ctx: PlaceContext) -> list[Loop]:
    """The loops of the file."""
    return ctx.once("loops", lambda: [place for place in ctx.file.places() if isinstance(place, Loop)])


def is_only_printed(loop: Loop, ctx: PlaceContext) -> bool:
    """Whether a loop does nothing with its words but print them."""
    reads = _reads(loop.name, ctx, loop)
    return reads <= _printed(loop.name, ctx, loop)


def _values(option: str, word: Word) -> Iterator[Given]:
    """The value in a word itself."""
    default = DEFAULT.fullmatch(word.raw)
    text = default[1] if default is not None else word.text or ""
    if VALUE.fullmatch(text):
        span = word.span_of(text)
        if span is not None:
            yield Given(option, text, *span)
    elif _NUMBERED.fullmatch(word.raw):
        start = word.start + word.raw.index("cuda")
        yield Given(option, f"cuda{_ANY_NUMBER}", start, start + len("cuda"), is_numbered=True)


def _of_variable(option: str, word: Word, command: Command, ctx: PlaceContext) -> Iterator[Given]:
    """What an option gets by a variable of the file, or of a loop around the command."""
    name = variable_in(word)
    if not name:
        return
    for variable in _assignments(ctx).get(name, ()):
        for given in _values(option, variable.value) if variable.value is not None else ():
            yield given._replace(is_shared=not _is_only_given(name, ctx))
    for loop in loops(ctx):
        if loop.name == name and loop.start <= command.start < loop.end:
            is_shared = not _is_only_given(name, ctx, loop)
            for item in loop.words:
                yield from (given._replace(is_shared=is_shared) for given in _values(option, item))
                yield from (given._replace(is_shared=is_shared) for given in _items(option, item, ctx))


def _items(option: str, word: Word, ctx: PlaceContext) -> Iterator[Given]:
    """What stands in the list that a loop goes through: ``A="cuda:0 cuda:1"``, ``A=(cuda:0 cuda:1)``."""
    for variable in _assignments(ctx).get(variable_in(word), ()):
        raw, start = (variable.value.raw, variable.value.start) if variable.value is not None else ("", 0)
        for item in _ITEM.finditer(raw):
            at = start + len(raw[: item.start()].encode())
            if ctx.file.comment_at(at, at + 1) is None:
                yield Given(option, item[0], at, at + len(item[0]))


def _in_variable(word: Word, ctx: PlaceContext) -> Iterator[Given]:
    """What a variable holds that stands for options with their values: ``ARGS="--device cuda"``."""
    for variable in _assignments(ctx).get(variable_in(word), ()):
        raw, start = (variable.value.raw, variable.value.start) if variable.value is not None else ("", 0)
        for inner in _IN_TEXT.finditer(raw):
            at = start + len(raw[: inner.start(2)].encode())
            if ctx.file.comment_at(at, at + 1) is None:
                yield Given(inner[1], inner[2], at, at + len(inner[2]))


def _assignments(ctx: PlaceContext) -> dict[str, list[Variable]]:
    def found() -> dict[str, list[Variable]]:
        known: dict[str, list[Variable]] = {}
        for place in ctx.file.places():
            if isinstance(place, Variable) and place.use in (Use.SET, Use.PREFIX):
                known.setdefault(place.name, []).append(place)
        return known

    return ctx.once("assignments", found)


def _is_only_given(name: str, ctx: PlaceContext, loop: Loop | None = None) -> bool:
    """Whether a variable's value goes to options only: nothing compares it or makes a name of it.

    Args:
        loop: Only what is in a loop counts.
    """
    gives = sum(
        variable_in(word) == name
        for command in _commands(ctx, loop)
        if program_in(command, ctx) is not None
        for _, word in options_of(command.words)
    )
    own = sum(
        f"${{{name}" in item.value.raw
        for item in _assignments(ctx).get(name, ())
        if item.value is not None and _is_in(item, loop)
    )
    return _reads(name, ctx, loop) <= gives + own + _printed(name, ctx, loop)


def _reads(name: str, ctx: PlaceContext, loop: Loop | None) -> int:
    def found() -> dict[str, list[Variable]]:
        known: dict[str, list[Variable]] = {}
        for place in ctx.file.places():
            if isinstance(place, Variable) and place.use is Use.READ:
                known.setdefault(place.name, []).append(place)
        return known

    reads = ctx.once("variables read", found).get(name, ())
    named = sum(item.name == name and (loop is None or item == loop) for item in loops(ctx))
    return sum(_is_in(place, loop) for place in reads) - named


def _printed(name: str, ctx: PlaceContext, loop: Loop | None) -> int:
    """How often a variable is read only to be shown."""
    pattern = re.compile(rf"\$\{{?{name}\b")
    return sum(
        len(pattern.findall(word.raw))
        for command in _commands(ctx, loop)
        if command.program in _PRINTS and not command.is_captured
        for word in command.words[1:]
    )


def _commands(ctx: PlaceContext, loop: Loop | None) -> list[Command]:
    found = ctx.once("commands", lambda: [place for place in ctx.file.places() if isinstance(place, Command)])
    return [command for command in found if _is_in(command, loop)]


def _is_in(place: Command | Variable, loop: Loop | None) -> bool:
    return loop is None or loop.start <= place.start < loop.end
