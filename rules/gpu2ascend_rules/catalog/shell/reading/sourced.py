"""Where the variables that a script or makefile sets are used: in those that source or include it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from ....engine.places.context import PlaceContext
from ....flow.command_line.programs import program_in
from ....kinds.registry import kind_file, kind_of_name
from ....kinds.shell.places import Word
from ....kinds.shell.summary import summarise
from ....limits.checkpoints import checkpoint

_INCLUDE = re.compile(r"^[ \t]*[-s]?include[ \t]+([^\n#]+)", re.M)
"""How a makefile takes in others."""
_MOST_SCRIPTS = 100
"""Scripts beside a file that are looked at."""


class UsedCommand(NamedTuple):
    """A command that starts a program, in another script."""

    path: str
    words: tuple[Word, ...]


def commands_of_readers(ctx: PlaceContext) -> tuple[UsedCommand, ...]:
    """The commands of what sources or includes the file, in its directory or the one above."""
    return ctx.once("commands of scripts that source this one", lambda: tuple(_commands(ctx)))


def _commands(ctx: PlaceContext) -> Iterator[UsedCommand]:
    name = posixpath.basename(ctx.file.path)
    for path in _scripts(ctx):
        checkpoint()
        text = ctx.project.text_at(path)
        script = kind_file(path, text) if text is not None and name in text else None
        if text is None or script is None:
            continue
        summary = summarise(script.places())
        includes = any(_included(match[1], name) for match in _INCLUDE.finditer(text))
        if includes or any(_is_path_of(name, word) for word in summary.sourced):
            yield from (
                UsedCommand(path, command.words)
                for command in summary.commands
                if program_in(command, ctx, path) is not None
            )


def _scripts(ctx: PlaceContext) -> list[str]:
    own = posixpath.dirname(ctx.file.path)
    directories = dict.fromkeys((own, posixpath.dirname(own)))
    paths = (
        posixpath.join(directory, name)
        for directory in directories
        for name in ctx.project.names_in(directory)
    )
    scripts = (path for path in paths if path != ctx.file.path and _is_script(path))
    return sorted(scripts)[:_MOST_SCRIPTS]


def _is_script(path: str) -> bool:
    kind = kind_of_name(path)
    return kind is not None and kind.name in ("shell", "makefile")


def _is_path_of(name: str, word: Word) -> bool:
    """Whether a script of a name is read: wherever it lies, for the path is often computed."""
    return posixpath.basename(word.raw.strip("\"'")) == name


def _included(names: str, name: str) -> bool:
    return any(posixpath.basename(item) == name for item in names.split())
