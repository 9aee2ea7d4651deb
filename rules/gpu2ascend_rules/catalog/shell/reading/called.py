"""What a command starts through another script or a makefile of the project that gets its arguments."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from ....engine.places.context import PlaceContext
from ....kinds.registry import kind_file
from ....kinds.shell.expansion import HEADS, called
from ....kinds.shell.places import Command, Variable, Word
from ....kinds.shell.words import given_to_make

_RUN_SCRIPTS = HEADS | {"source", ".", "qsub", "bsub"}
_SUFFIXES = (".sh", ".bash", ".slurm", ".sbatch", ".zsh")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MOST_DEEP = 3


class CalledCommand(NamedTuple):
    """A command of another script, with the arguments of the call in place of its own words for them."""

    path: str
    """Of the script that has the command."""
    words: tuple[Word, ...]
    """Those of the script have no place in the file that calls it: they begin before it."""


def commands_called(command: Command, ctx: PlaceContext) -> tuple[CalledCommand, ...]:
    """The commands that get arguments of a command which starts a script of the project."""
    return ctx.once(
        ("called", command), lambda: tuple(_called(command.words, ctx.file.path, ctx, _MOST_DEEP))
    )


def _called(words: tuple[Word, ...], path: str, ctx: PlaceContext, depth: int) -> Iterator[CalledCommand]:
    at = _script_among(words)
    given = given_to_make(Command(words[0].start, words[-1].end, words, is_captured=False))
    variables = {item.name: item.value for item in given if item.value is not None}
    names = (words[at].text or "",) if at is not None else _MAKEFILES if variables else ()
    found = next(filter(None, (_script(name, path, ctx) for name in names)), None) if depth else None
    if found is None or found[0] == path:
        return
    script = kind_file(*found)
    places = script.places() if script is not None else ()
    body = [_elsewhere(place) for place in places if isinstance(place, Command | Variable)]
    for inner in called(body, words[at + 1 :] if at is not None else (), variables):
        yield CalledCommand(found[0], inner)
        yield from _called(inner, found[0], ctx, depth - 1)


def _elsewhere(place: Command | Variable) -> Command | Variable:
    """A command of another file, whose words no edit may touch."""
    if not isinstance(place, Command):
        return place
    return place._replace(words=tuple(word._replace(start=-1, end=-1) for word in place.words))


def _script_among(words: tuple[Word, ...]) -> int | None:
    """Which word of a command names a script that a shell runs."""
    if words[0].text is not None and words[0].text.endswith(_SUFFIXES):
        return 0
    if (words[0].text or "").rpartition("/")[2] not in _RUN_SCRIPTS:
        return None
    return next((at for at, word in enumerate(words) if (word.text or "").endswith(_SUFFIXES)), None)


def _script(name: str, path: str, ctx: PlaceContext) -> tuple[str, str] | None:
    """The path and the text of a script, seen from the directory of the file, or from that of the project."""
    for directory in dict.fromkeys((posixpath.dirname(path), "")):
        place = posixpath.normpath(posixpath.join(directory, name))
        text = ctx.project.text_at(place) if not place.startswith(("..", "/")) else None
        if text is not None:
            return place, text
    return None
