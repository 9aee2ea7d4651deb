"""Which files of a project `exclude` and `copy` leave out, and which files a run may edit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase, translate
from pathlib import Path
from typing import NamedTuple

from .writing.replacing import is_left_alone


class Editable(NamedTuple):
    """The files that may be edited, by their paths in the project."""

    excludes: Excludes
    only: frozenset[str] | None = None
    """The files that were named; None for all of the project."""
    replaced_in: Path | None = None
    """The project's directory where the files themselves are replaced; None where others are made of them."""
    read_only: bool = False
    """Whether files are replaced that are write-protected, too."""

    def allows(self, path: str) -> bool:
        """Whether a file may be edited."""
        if (self.only is not None and path not in self.only) or self.excludes.match(path):
            return False
        place = self.replaced_in
        return place is None or not is_left_alone(place / path, read_only=self.read_only)


class Excludes:
    """Patterns over names relative to the project's directory, with ``/``.

    A pattern without a slash is matched against every single name on the way, so that ``vendor`` and
    ``*_pb2.py`` work at any depth. One with a slash is matched from the top: ``tools/old``,
    ``tools/*.py``, ``**/generated``. A directory that matches stands for everything below it.

    Args:
        left_out: Patterns of what is no part of the project: neither examined nor copied.
        copied: Patterns of what is copied as it is.
    """

    def __init__(self, left_out: Iterable[str], copied: Iterable[str] = ()) -> None:
        self._left_out = _Patterns(left_out)
        self._copied = _Patterns(copied)

    def match(self, relative: str) -> bool:
        """Whether a file is not examined, by its own name or by a directory above it."""
        return self.leaves_out(relative) or self._copied.match(relative)

    def leaves_out(self, relative: str) -> bool:
        """Whether a file or directory is not copied either."""
        return self._left_out.match(relative)


def patterns_below(patterns: Iterable[str], steps: Sequence[str]) -> tuple[str, ...]:
    """The patterns that say in a directory below what the given ones say above it.

    Args:
        steps: The names of the directories on the way there.
    """
    return tuple(written for pattern in patterns for written in _below(pattern, steps))


def _below(pattern: str, steps: Sequence[str]) -> Iterator[str]:
    plain = pattern.removeprefix("./").rstrip("/")
    if "/" not in plain or plain.startswith("**/"):
        yield pattern
        return
    parts = plain.removeprefix("/").split("/")
    for at, step in enumerate(steps):
        if at + 1 >= len(parts) or not fnmatchcase(step, parts[at]):
            return  # it reaches other places, or leaves out the directory itself, which was named
        if "*" in parts[at]:  # which goes over slashes
            yield "/".join(("*" + parts[at].rpartition("*")[2], *parts[at + 1 :]))
    yield "/" + "/".join(parts[len(steps) :])


class _Patterns:
    """What matches one of some patterns."""

    def __init__(self, patterns: Iterable[str]) -> None:
        names: list[str] = []
        paths: list[str] = []
        for pattern in patterns:
            plain = pattern.removeprefix("./").rstrip("/")
            if "/" in plain:
                paths.append(translate(plain.removeprefix("/")))
                if plain.startswith("**/"):
                    paths.append(translate(plain.removeprefix("**/")))
            elif plain:
                names.append(translate(plain))
        self._name = re.compile("|".join(names)) if names else None
        self._path = re.compile("|".join(paths)) if paths else None

    def match(self, relative: str) -> bool:
        """Whether one matches the name or a directory above it."""
        parts = relative.split("/")
        if self._name is not None and any(self._name.match(part) for part in parts):
            return True
        if self._path is None:
            return False
        tops = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        return any(self._path.match(top) for top in tops)
