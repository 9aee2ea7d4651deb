"""Lock files: which package is installed in which release, written by a program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..limits.checkpoints import checkpoint
from .kind import Kind, KindFile
from .packages.places import Locked

_NAME = re.compile(
    rb"""^[ \t]*(?:-[ \t]+)?(?:name[ \t]*[=:][ \t]*["']?([\w.-]+)["']?|"([\w.-]+)":[ \t]*\{)"""
    rb"""[ \t]*(?:#[^\r\n]*)?\r?$"""
    rb"""(?:\r?\n[ \t]*version[ \t]*[=:][ \t]*["']?([^"'\s]+))?""",
    re.M,
)
_ARCHIVE = re.compile(
    rb"^[ \t]*-[ \t]+conda:[ \t]*\S{1,300}/([\w.-]{1,80})-([^-/\s]{1,40})-[^-/\s]{1,80}\.(?:conda|tar\.bz2)",
    re.M,
)
"""pixi names a package of conda by its archive only: name, release, build."""
_OF_CONDA = {"pytorch": "torch"}


class LockFile(KindFile):
    """One version of one lock file."""

    @property
    def comment_mark(self) -> str:  # type: ignore[override]
        """JSON has no comments."""
        return "" if self.data.lstrip()[:1] == b"{" else "#"

    def read_places(self) -> Iterator[Locked]:
        from packaging.utils import canonicalize_name

        named = (
            (match.span(1 if match[1] is not None else 2), match[3] or b"")
            for match in _NAME.finditer(self.data)
        )
        archives = ((match.span(1), match[2]) for match in _ARCHIVE.finditer(self.data))
        for (start, end), version in sorted((*named, *archives)):
            checkpoint()
            name = canonicalize_name(self.data[start:end].decode())
            yield Locked(start, end, _OF_CONDA.get(name, name), version.decode())


KIND = Kind(
    name="lock",
    file=LockFile,
    places=(Locked,),
    patterns=(
        *("poetry.lock", "uv.lock", "pdm.lock", "pixi.lock", "pipfile.lock", "pylock.toml", "pylock.*.toml"),
        *("conda-lock.yml", "*.conda-lock.yml"),
    ),
)
