"""What rules are shown of lists of dependencies."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Style(enum.Enum):
    """How a list writes a release of a package."""

    PIP = "pip"
    """``name==1.0``, as PEP 508 has it."""
    POETRY = "poetry"
    """``name = "1.0"``: a bare number is that release, ``^`` and ``~`` begin ranges."""
    PIPFILE = "pipfile"
    """``name = "==1.0"``."""
    CONDA = "conda"
    """``name=1.0``, also for the package managers of systems."""


class InsertionPoint(NamedTuple):
    """Where a further entry can be written, and what surrounds it."""

    at: int
    before: str
    after: str


class InCommand(NamedTuple):
    """How an entry is written in a command that installs it; the span has its word, and the blanks before."""

    start: int
    end: int
    of: int
    """Where the command begins."""
    installs: tuple[str, ...]
    """What the command installs, this entry included; a list of packages by the option that names it."""


class Requirement(NamedTuple):
    """One package that is asked for. The span is that of the entry, without quotes."""

    start: int
    end: int
    name: str
    """Lower case, with ``-`` between its parts, as the package index compares names."""
    name_end: int
    extras: tuple[str, ...]
    versions: str
    """As written, or as the name of a wheel has them; empty where every release will do."""
    versions_at: tuple[int, int]
    """Where they are, or would be."""
    marker: str = ""
    """The condition, without its semicolon, as written."""
    style: Style = Style.PIP
    is_url: bool = False
    line: tuple[int, int] | None = None
    """The first character and the end of the line that it fills alone, which can be made a comment."""
    insertion: InsertionPoint | None = None
    """Where another entry can be written."""
    is_plain: bool = False
    """Whether its versions can be changed where they are: no URL, no hashes, no table of options."""
    command: InCommand | None = None
    """Where it can be taken out of a command."""
    is_optional: bool = False
    """Whether it is of an extra, which is installed only where somebody asks for it."""

    @property
    def shown_versions(self) -> str:
        """The versions as messages have them behind the name; Poetry writes an exact one alone."""
        versions = self.versions.strip()
        return f"=={versions}" if versions[:1].isdigit() else versions


class Index(NamedTuple):
    """A place that packages are taken from. The span is that of its URL."""

    start: int
    end: int
    url: str
    flag: str = ""
    """The option of pip that gives it, as written; empty elsewhere."""
    flag_start: int = -1


class Locked(NamedTuple):
    """A package in a list that a program writes: nothing there is edited. The span is that of its name."""

    start: int
    end: int
    package: str
    version: str
