"""Commands that a summary proposes: at most three, each with what it is for."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
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


def without(typed: Sequence[str], *flags: str) -> list[str]:
    """What was typed, less some flags that take no value."""
    return [word for word in typed if word not in flags]


def command_line(*words: str) -> str:
    """The words as the shell of this system takes them."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
