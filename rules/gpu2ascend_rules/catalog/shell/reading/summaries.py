"""The summary of the file that a rule looks at, and what rules count in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from ....engine.places.context import PlaceContext
from ....flow.command_line.programs import program_in, python_at
from ....kinds.shell.places import Command, Loop, Variable, Word
from ....kinds.shell.summary import Passed, ShellSummary, count_in, summarise


def summary_of(ctx: PlaceContext) -> ShellSummary:
    """What the shell code of the file does with its variables and commands."""
    return ctx.once(ShellSummary, lambda: summarise(ctx.file.places()))


def programs_of(ctx: PlaceContext) -> tuple[int | None, ...]:
    """Where the program of Python is among the words of each command; None where it starts none."""
    commands = summary_of(ctx).commands
    return ctx.once(program_in, lambda: tuple(program_in(command, ctx) for command in commands))


def program_at(word: Word, ctx: PlaceContext) -> tuple[str, str] | None:
    """The path and the text of the project's program that a word of a command names, if it can be found."""
    return ctx.once(("program", word.raw), lambda: python_at(word, ctx.project, ctx.file.path))


def is_given(name: str, ctx: PlaceContext, loop: Loop | None = None) -> bool:
    """Whether an option of some command gets a variable's value.

    Args:
        loop: Only what is in a loop counts.
    """
    return _count(name, lambda passed: bool(passed.option), "given", ctx, loop) > 0


def is_argument(name: str, ctx: PlaceContext, tools: frozenset[str], loop: Loop | None = None) -> bool:
    """Whether a program of Python gets a variable's value as an argument without an option.

    Args:
        tools: Programs that do not count.
        loop: Only what is in a loop counts.
    """
    commands, programs = summary_of(ctx).commands, programs_of(ctx)

    def is_one(passed: Passed) -> bool:
        at = programs[passed.number]
        if passed.option or at is None or passed.nth <= at:
            return False
        return (commands[passed.number].words[at].text or "").rpartition("/")[2] not in tools

    return _count(name, is_one, "argument", ctx, loop) > 0


def is_only_given(name: str, ctx: PlaceContext, loop: Loop | None = None) -> bool:
    """Whether a variable's value goes to options only: nothing compares it or makes a name of it.

    Args:
        loop: Only what is in a loop counts.
    """
    programs = programs_of(ctx)

    def is_of_program(passed: Passed) -> bool:
        return bool(passed.option) and programs[passed.number] is not None

    gives = _count(name, is_of_program, "given to a program", ctx, loop)
    own = _within(ctx.once(("own", name), lambda: _own(name, summary_of(ctx))), loop)
    return _reads(name, ctx, loop) <= gives + own + _printed(name, ctx, loop)


def is_only_printed(loop: Loop, ctx: PlaceContext) -> bool:
    """Whether a loop does nothing with its words but print them."""
    return _reads(loop.name, ctx, loop) <= _printed(loop.name, ctx, loop)


def is_shown(variable: Variable, ctx: PlaceContext) -> bool:
    """Whether a place that reads a variable is in a command that only shows its value."""
    summary = summary_of(ctx)
    ends = ctx.once("ends of commands", lambda: {item.start: item.end for item in summary.commands})
    starts = summary.prints.get(variable.name, ())
    shown = bisect_right(starts, variable.start) - 1
    if shown < 0 or variable.start >= ends[starts[shown]]:
        return False
    last = summary.commands[bisect_right(summary.commands, variable.start, key=_start_of) - 1]
    return last.start == starts[shown] or last.end <= variable.start


def _start_of(command: Command) -> int:
    return command.start


def _count(
    name: str, is_meant: Callable[[Passed], bool], what: str, ctx: PlaceContext, loop: Loop | None
) -> int:
    """How often commands get a variable in a way that is called ``what``."""

    def found() -> tuple[int, ...]:
        return tuple(item.at for item in summary_of(ctx).passed.get(name, ()) if is_meant(item))

    return _within(ctx.once((what, name), found), loop)


def _reads(name: str, ctx: PlaceContext, loop: Loop | None) -> int:
    """How often a value is asked for; the head of a loop, which names its variable, does not."""
    summary = summary_of(ctx)
    heads = 1 if loop is not None else len(summary.loops.get(name, ()))
    return _within(summary.reads.get(name, ()), loop) - heads


def _printed(name: str, ctx: PlaceContext, loop: Loop | None) -> int:
    return _within(summary_of(ctx).prints.get(name, ()), loop)


def _own(name: str, summary: ShellSummary) -> tuple[int, ...]:
    """Where a variable gets a value made from its own, ``A=${A:-1}``."""
    own = f"${{{name}"
    some = summary.sets.get(name, ())
    return tuple(sorted(item.start for item in some if item.value is not None and own in item.value.raw))


def _within(offsets: tuple[int, ...], loop: Loop | None) -> int:
    return len(offsets) if loop is None else count_in(offsets, loop.start, loop.end)
