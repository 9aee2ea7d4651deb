"""What rules are shown of shell code, wherever it is: in a script, in a container file, in a workflow."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from ...text.parts.embedded import EmbeddedPython
from ..packages.places import Index, Requirement

_BELOW_VARIABLE = re.compile(r"^[\"']?\$.*/([\w.+-]+)[\"']?$")
"""``$VENV/bin/pip``."""


class Word(NamedTuple):
    """A word of shell code: an argument, a value, an element of an array."""

    start: int
    end: int
    text: str | None
    """What it means, without quotes; None where it holds something that the shell replaces."""
    raw: str
    """As it is written."""

    @property
    def is_plain(self) -> bool:
        """Whether it is written as what it means, so that a character's place is known."""
        return self.text is not None and self.text == self.raw

    @property
    def name(self) -> str:
        """The last part of a path, whose beginning a variable may hold; empty where it is not known."""
        if self.text is not None:
            return self.text.rpartition("/")[2]
        below = _BELOW_VARIABLE.search(self.raw)
        return below[1] if below is not None else ""

    def span_of(self, part: str) -> tuple[int, int] | None:
        """Where a part of it is, by byte offsets; None where it is not written just once and as it is."""
        if not part or self.raw.count(part) != 1:
            return None
        start = self.start + len(self.raw[: self.raw.index(part)].encode())
        return start, start + len(part.encode())


class Use(enum.Enum):
    """What shell code does with a variable."""

    SET = "set"
    """Gives it a value: ``A=1``, ``export A=1``."""
    PREFIX = "prefix"
    """Gives it a value for one command: ``A=1 command``, ``env A=1 command``."""
    READ = "read"
    """Asks for its value: ``$A``, ``${A:-0}``, ``$((A + 1))``."""
    NAME = "name"
    """Names it: ``export A``, ``unset A``, ``[[ -v A ]]``, ``read A``."""


class Variable(NamedTuple):
    """A place that names a variable; the span is that of the name."""

    start: int
    end: int
    name: str
    use: Use
    value: Word | None = None
    """What it is set to, where that is one word; an array with its parentheses is one."""
    items: tuple[Word, ...] = ()
    """The elements of an array that it is set to."""
    is_added: bool = False
    """Whether it keeps its value, with this behind: ``A+=" --more"``."""


class Command(NamedTuple):
    """A simple command, without the variables before it and without what it is redirected to."""

    start: int
    end: int
    words: tuple[Word, ...]
    """The program and its arguments."""
    is_captured: bool
    """Whether other code takes its output: in a substitution, or as the first part of a pipe."""
    is_list: bool = False
    """Whether it is written as a list of texts, each with its quotes: ``["python", "train.py"]``."""

    @property
    def program(self) -> str:
        """The name of the program, without its directory, which a variable may hold; empty where it is not
        known."""
        return self.words[0].name


class FileTest(NamedTuple):
    """A file that is tested for, ``[ -e FILE ]`` or ``test -d FILE``; the span is that of the file's name."""

    start: int
    end: int
    operator: str
    """Such as ``-e``."""
    word: Word
    """The file."""


class Loop(NamedTuple):
    """A loop over words, ``for A in 1 2; do ...; done``; the span is that of the whole loop."""

    start: int
    end: int
    name: str
    """The variable."""
    words: tuple[Word, ...]
    """What it is set to in turn."""


class Function(NamedTuple):
    """The definition of a function; the span is that of its name."""

    start: int
    end: int
    name: str
    body: tuple[int, int]
    """The span of what a call runs."""


class Redirection(NamedTuple):
    """A file or a text that a command reads or writes: ``> log``, ``<<< "$A"``, ``<<EOF``."""

    start: int
    end: int
    operator: str
    """Such as ``>>``, ``<<<`` or ``<<``."""
    word: Word
    """The file or the text; of a here-document its lines, whose text is known where nothing is replaced."""


class Directive(NamedTuple):
    """A comment that a scheduler reads: ``#SBATCH --gres=gpu:8``."""

    start: int
    end: int
    scheduler: str
    """``SBATCH``, ``PBS``, ``BSUB`` or ``$``."""
    text: str
    """What follows the scheduler's name."""
    text_start: int


class Unread(NamedTuple):
    """A part that is not understood as shell code: a mistake, a template, or syntax that is not known."""

    start: int
    end: int
    text: str


ShellPlace = (
    Variable
    | Command
    | FileTest
    | Loop
    | Function
    | Redirection
    | Directive
    | Unread
    | Requirement
    | Index
    | EmbeddedPython
)
SHELL_PLACES: tuple[type, ...] = (
    *(Command, FileTest, Loop, Directive, Unread, Variable, Requirement, Index, EmbeddedPython),
)
"""The classes that rules, or the examination of parts, ask for: what a kind names that has shell code."""
SHELL_NEEDS: dict[type, bytes] = {Requirement: b"install", Index: b"install", Loop: b"done"}
"""What a text has, in lower case, if it has places of these classes."""
