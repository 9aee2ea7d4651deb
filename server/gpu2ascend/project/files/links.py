"""Where the links of a project lead: what has the name of a source and is not examined under any other name.

Nothing outside the project is read for that: of what lies there only the name counts.
"""

from __future__ import annotations

import enum
import os
import stat
from pathlib import Path

from gpu2ascend_rules.kinds.registry import kind_of_name

from ..manifest.marker import RESERVED_NAMES
from ..paths import join
from .discover import KERNEL_SUFFIXES, PYTHON_SUFFIXES, Entry, is_tools, may_be_source
from .excludes import Excludes

_CONFIGURATIONS = frozenset({"json", "yaml", "toml", "ini"})
"""Kinds whose files are as often data that a program downloads and links."""


class Leads(enum.Enum):
    """Where a link leads, as far as it matters."""

    NOWHERE_NEW = enum.auto()
    """To what is examined where it lies, to data, or to nothing."""
    UNEXAMINED_SOURCE = enum.auto()
    """To what Python or another program runs, and no rule has looked at."""
    UNEXAMINED = enum.auto()
    """To what may hold sources, or may be a configuration, and is not looked at."""


def leads(root: Path, entry: Entry, excludes: Excludes) -> Leads:
    """Where a link of the project leads."""
    place = join(str(root), entry.path)
    real = os.path.realpath(place)
    inside = _inside(root, real)
    if not os.path.lexists(real):
        return Leads.NOWHERE_NEW
    is_kept = inside is not None and is_copied(root, inside, excludes)
    if os.path.isdir(real):  # noqa: PTH112
        if inside is None:
            return Leads.UNEXAMINED
        hides = not is_kept and may_be_source(root, entry._replace(path=inside), within_tools=True)
        return Leads.UNEXAMINED_SOURCE if hides else Leads.NOWHERE_NEW
    if is_kept and inside is not None and may_be_source(root, entry._replace(path=inside)):
        return Leads.NOWHERE_NEW
    names = (entry.path, inside or os.path.basename(real))  # noqa: PTH119
    if any(map(_is_program, names)):
        return Leads.UNEXAMINED_SOURCE
    return Leads.UNEXAMINED if kind_of_name(entry.path) is not None else Leads.NOWHERE_NEW


def is_copied(root: Path, relative: str, excludes: Excludes) -> bool:
    """Whether a migration copies a path, by what it and the directories above it are."""
    if excludes.leaves_out(relative) or relative.casefold() in RESERVED_NAMES:
        return False
    parts = relative.split("/")
    tops = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    if any(is_tools(join(str(root), top)) for top in tops):
        return False
    try:
        mode = Path(join(str(root), relative)).lstat().st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)


def target_of(root: str, relative: str) -> str:
    """Where a link leads, as it is written in it."""
    try:
        return os.readlink(join(root, relative))  # noqa: PTH115
    except OSError:
        return "?"


def _inside(root: Path, real: str) -> str | None:
    """The path within the project; None for what lies outside."""
    top = os.path.realpath(root)
    if real == top:
        return "."
    prefix = top.rstrip(os.sep) + os.sep
    return real.removeprefix(prefix).replace(os.sep, "/") if real.startswith(prefix) else None


def _is_program(path: str) -> bool:
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122
    kind = kind_of_name(path)
    named = kind is not None and kind.name not in _CONFIGURATIONS
    return suffix in (*PYTHON_SUFFIXES, *KERNEL_SUFFIXES) or named
