"""Commands that a summary proposes: at most three, each with what it is for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from ...texts.catalogue import Texts

_COMMANDS = 3


def next_lines(commands: Iterable[tuple[str, str]], texts: Texts) -> Iterator[str]:
    """The block that ends a summary; nothing without commands.

    Args:
        commands: Each with what it is for, the most useful first.
    """
    shown = list(islice(commands, _COMMANDS))
    if shown:
        yield texts("cli.verdict.next")
    for command, why in shown:
        yield f"  # {why}"
        yield f"  {command}"


def again(typed: Sequence[str], *added: str, without: Collection[str] = ()) -> list[str]:
    """What was typed, with other flags.

    Args:
        typed: The arguments of a command. Behind ``--`` are no flags, whatever they look like.
        added: Flags, with their values; those that take none and were typed already are not repeated.
        without: Flags that take no value and are left out.
    """
    end = typed.index("--") if "--" in typed else len(typed)
    kept = [word for word in typed[:end] if word not in without and word not in added]
    return [*kept, *added, *typed[end:]]
