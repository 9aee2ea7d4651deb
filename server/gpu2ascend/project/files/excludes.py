"""The patterns of ``exclude`` and ``copy``: what a migration leaves out, and what it copies unexamined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate


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
