"""Where the variables that a script or makefile sets are used: in those that source or include it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from ...engine.places.context import PlaceContext
from ...flow.command_line.programs import program_in
from ...kinds.registry import kind_file, kind_of_name
from ...kinds.shell.places import Command, Word
from ...limits.checkpoints import checkpoint

_WITH_A_FILE = 2
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
        commands = [place for place in script.places() if isinstance(place, Command)] if script else []
        is_reader = text is not None and any(_included(match[1], name) for match in _INCLUDE.finditer(text))
        if is_reader or any(_sources(command.words, name) for command in commands):
            yield from (
                UsedCommand(path, item.words) for item in commands if program_in(item, ctx) is not None
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


def _sources(words: tuple[Word, ...], name: str) -> bool:
    """Whether a command reads the script of a name: wherever it lies, for the path is often computed."""
    if len(words) < _WITH_A_FILE or words[0].text not in ("source", "."):
        return False
    return posixpath.basename(words[1].raw.strip("\"'")) == name


def _included(names: str, name: str) -> bool:
    return any(posixpath.basename(item) == name for item in names.split())
