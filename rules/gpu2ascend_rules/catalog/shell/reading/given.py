"""What the options of a command are given that may be a device or a back end.

A value is in the command itself, in a variable, or among the words that a loop goes through. The values
of a variable are found once, and what is to be decided on them once for each way in which programs get them.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ....engine.places.context import PlaceContext
from ....kinds.shell.places import Command, Loop, Word
from ....kinds.shell.summary import ShellSummary
from ....kinds.shell.words import options_of, positionals_of, variable_in
from .summaries import is_only_given, programs_of, summary_of

_TEXTS = r"cuda(?::\d+)?|nccl|NCCL|gpu"
VALUE = re.compile(_TEXTS)
DEFAULT = re.compile(rf"[\"']?\$\{{\w+:?[-=][\"']?({_TEXTS})[\"']?\}}[\"']?")
"""``${DEVICE:-cuda}``: a variable, or a value where it is not set."""
_NUMBERED = re.compile(r"[\"']?cuda:(?:[$`{](?:(?!,cuda).)*)?[\"']?")
"""``cuda:$i``, and ``cuda:`` alone before what is make's own."""
_LIST = re.compile(r"[\"']?cuda(?::[^,\"']*)?(?:,(?:cuda(?::[^,\"']*)?|cpu))+[\"']?")
"""``cuda:0,cuda:1``, ``cuda:$i,cuda:$((i+1))``."""
_LISTED = re.compile(r"cuda[^,\"']*")
_IN_TEXT = re.compile(
    rf"(?<![\w-])(--?[A-Za-z][\w.-]*)(?:=|\s+)[\"']?((?:{_TEXTS})(?:[\s\\]+cuda(?::\d+)?)*)(?![\w./:-])"
)
_OF_VARIABLE = re.compile(r"(?<![\w-])(--?[A-Za-z][\w.-]*)(?:=|\s+)[\"']?\$\{?([A-Za-z_]\w*)\}?")
_READ = re.compile(r"\$\{?([A-Za-z_]\w*)")
_OVERRIDE = re.compile(r"(\+{0,2}(?:[\w/]+\.)*\w+)=(\S+)")
"""``trainer.device=cuda``, as hydra and OmegaConf take it; of several values hydra runs each in turn."""
CONFIGURATION = "config.yaml"
"""Stands for the configuration that an override is of: hydra and OmegaConf read YAML."""
_ITEM = re.compile(rf"(?<![^\s\"'(])(?:{_TEXTS})(?![^\s\"')])")
_ANY_NUMBER = ":0"
_MOST_WAYS = 50
"""Ways in which programs get the values of one variable that are looked into."""


class Given(NamedTuple):
    """A value that an option of a command gets; the span is what must be written anew."""

    option: str
    """Begins with a dash; else the way to a key of a configuration, or the place of an argument among those
    without an option: ``0`` for the first."""
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

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of a configuration that get it, from the outermost one on; none of an option."""
        is_argument = self.option.startswith("-") or self.option.isdigit()
        return () if is_argument else tuple(re.split(r"[./]", self.option.lstrip("+")))

    def written(self, new: str) -> str:
        """What stands at the span if the option gets a new value."""
        return new.removesuffix(_ANY_NUMBER) if self.is_numbered else new


class _Holder(enum.Enum):
    """What holds the values of a variable."""

    SET = "what it is set to"
    LOOP = "the words of a loop"
    LIST = "the list that it is set to, which a loop goes through"
    OPTIONS = "the options in what it is set to"


class Source(NamedTuple):
    """Values that belong together: an option that gets one of them gets the others, too."""

    holder: _Holder
    name: str
    loop: int = -1
    """Where the loop begins."""
    is_shared: bool = False


class Way(NamedTuple):
    """How a command gets the values of a source."""

    option: str
    source: Source
    is_first: bool
    """Whether no earlier command gives them to the same option of the same program."""


def given_in(command: Command, at: int) -> Iterator[Given]:
    """The values that a command itself gives to the options behind its program, the word at ``at``; and to
    keys of its configurations."""
    for option, word in options_of(command.words, at):
        yield from _values(option, word)
    for nth, word in enumerate(positionals_of(command.words, at)):
        yield from _values(str(nth), word)
    for word in command.words[at + 1 :]:
        override = _OVERRIDE.fullmatch(word.text or "") if word.is_plain else None
        if override is not None:
            for value in re.finditer(r"[^,\[\]]+", override[2]):
                if VALUE.fullmatch(value[0]):
                    start = word.start + len(word.raw[: override.start(2) + value.start()].encode())
                    yield Given(override[1], value[0], start, start + len(value[0]))


def ways_of(command: Command, ctx: PlaceContext) -> tuple[Way, ...]:
    """How a command gives the values of variables to a program of Python."""
    return ctx.once(Way, lambda: _ways(ctx)).get(command.start, ())


def given_by(way: Way, ctx: PlaceContext) -> Iterator[Given]:
    """The values that an option gets in some way."""
    values = ctx.once(way.source, lambda: tuple(_values_of(way.source, ctx)))
    return (given._replace(option=way.option) if way.option else given for given in values)


def _ways(ctx: PlaceContext) -> dict[int, tuple[Way, ...]]:
    seen: set[tuple[str, str, Source]] = set()
    counts: Counter[Source] = Counter()
    ways: dict[int, tuple[Way, ...]] = {}
    for command, at in zip(summary_of(ctx).commands, programs_of(ctx), strict=True):
        if at is None:
            continue
        found = []
        for option, source in dict.fromkeys(_sources(command, at, ctx)):
            key = (command.words[at].raw, option, source)
            is_first = key not in seen and counts[source] < _MOST_WAYS
            if is_first:
                seen.add(key)
                counts[source] += 1
            found.append(Way(option, source, is_first))
        if found:
            ways[command.start] = (*ways.get(command.start, ()), *found)
    return ways


def _sources(command: Command, at: int, ctx: PlaceContext) -> Iterator[tuple[str, Source]]:
    """Where the values come from that a command gives to options."""
    summary = summary_of(ctx)
    for option, word in options_of(command.words, at):
        name = variable_in(word)
        if name in summary.sets:
            is_shared = not is_only_given(name, ctx)
            yield option, Source(_Holder.SET, name, is_shared=is_shared)
        for loop in summary.around.get(command.start, ()) if name else ():
            if loop.name == name:
                is_shared = not is_only_given(name, ctx, loop)
                yield option, Source(_Holder.LOOP, name, loop.start, is_shared)
                for inner in ctx.once(("lists", loop.start), partial(_lists, loop)):
                    yield option, Source(_Holder.LIST, inner, is_shared=is_shared)
    for word in command.words[at + 1 :]:
        name = variable_in(word)
        if name in summary.sets:
            yield "", Source(_Holder.OPTIONS, name)
            yield from ctx.once(("in options", name), partial(_in_options, name, ctx))


def _in_options(name: str, ctx: PlaceContext) -> tuple[tuple[str, Source], ...]:
    """The variables that a text of options has: ``ARGS="--device $DEVICE"``."""
    sets = summary_of(ctx).sets
    reads = ctx.once("reads of variables", lambda: Counter(_READ.findall(ctx.file.text)))
    texts = (item.value.raw for item in sets[name] if item.value is not None)
    given = (found for text in texts for found in _OF_VARIABLE.findall(text) if found[1] in sets)
    return tuple((to, Source(_Holder.SET, it, is_shared=reads[it] > 1)) for to, it in given)


def _lists(loop: Loop) -> tuple[str, ...]:
    """The variables whose words a loop goes through."""
    return tuple(filter(None, dict.fromkeys(map(variable_in, loop.words))))


def _values_of(source: Source, ctx: PlaceContext) -> Iterator[Given]:
    """The values of a source; all but options in a text are for no option yet."""
    summary = summary_of(ctx)
    if source.holder is _Holder.LOOP:
        loop = ctx.once(Loop, lambda: _by_start(summary))[source.loop]
        found = (given for item in loop.words for given in _values("", item))
    else:
        sets = (item.value for item in summary.sets.get(source.name, ()) if item.value is not None)
        of_value = {_Holder.SET: _set, _Holder.LIST: _items, _Holder.OPTIONS: _options}[source.holder]
        found = (given for value in sets for given in of_value(value, ctx))
    return (given._replace(is_shared=source.is_shared) for given in found)


def _by_start(summary: ShellSummary) -> dict[int, Loop]:
    return {loop.start: loop for loops in summary.loops.values() for loop in loops}


def _values(option: str, word: Word) -> Iterator[Given]:
    """The value in a word itself."""
    default = DEFAULT.fullmatch(word.raw)
    text = default[1] if default is not None else word.text or ""
    if VALUE.fullmatch(text):
        span = word.span_of(text)
        if span is not None:
            yield Given(option, text, *span)
    elif _LIST.fullmatch(word.raw):
        for item in _LISTED.finditer(word.raw):
            start = word.start + len(word.raw[: item.start()].encode())
            yield from _values(option, Word(start, start + len(item[0].encode()), item[0], item[0]))
    elif _NUMBERED.fullmatch(word.raw):
        start = word.start + word.raw.index("cuda")
        yield Given(option, f"cuda{_ANY_NUMBER}", start, start + len("cuda"), is_numbered=True)


def _set(value: Word, ctx: PlaceContext) -> Iterator[Given]:
    """The value that a variable is."""
    return _values("", value)


def _items(value: Word, ctx: PlaceContext) -> Iterator[Given]:
    """What is in a list: ``A="cuda:0 cuda:1"``, ``A=(cuda:0 cuda:1)``."""
    for item, at in _found(_ITEM, 0, value, ctx):
        yield Given("", item[0], at, at + len(item[0]))


def _options(value: Word, ctx: PlaceContext) -> Iterator[Given]:
    """What a variable holds whose text is options with their values: ``ARGS="--device cuda"``."""
    for inner, at in _found(_IN_TEXT, 2, value, ctx):
        for item in VALUE.finditer(inner[2]):
            yield Given(inner[1], item[0], at + item.start(), at + item.end())


def _found(
    pattern: re.Pattern[str], group: int, value: Word, ctx: PlaceContext
) -> Iterator[tuple[re.Match[str], int]]:
    """What a pattern finds in a value, with the place in the file of one of its groups; not in comments."""
    at, done = value.start, 0
    for match in pattern.finditer(value.raw):
        at += len(value.raw[done : match.start(group)].encode())
        done = match.start(group)
        if ctx.file.comment_at(at, at + 1) is None:
            yield match, at
