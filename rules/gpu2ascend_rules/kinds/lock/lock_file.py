"""A lock file as a file of its kind. Of TOML, YAML and JSON only the names of packages are read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from ...limits.checkpoints import checkpoint
from ..kind import KindFile
from ..packages.places import Locked

_NAME = re.compile(
    rb"""^[ \t]*(?:-[ \t]+)?(?:name[ \t]*[=:][ \t]*["']?([\w.-]+)["']?|"([\w.-]+)":[ \t]*\{)[ \t]*\r?$"""
    rb"""(?:\r?\n[ \t]*version[ \t]*[=:][ \t]*["']?([^"'\s]+))?""",
    re.M,
)
_OF_CONDA = {"pytorch": "torch"}


class LockFile(KindFile):
    """One version of one lock file."""

    @property
    def comment_mark(self) -> str:  # type: ignore[override]
        """JSON has no comments."""
        return "" if self.data.lstrip()[:1] == b"{" else "#"

    def places(self) -> Iterator[Locked]:
        for match in _NAME.finditer(self.data):
            checkpoint()
            group = 1 if match[1] is not None else 2
            name = canonicalize_name(match[group].decode())
            version = (match[3] or b"").decode()
            yield Locked(match.start(group), match.end(group), _OF_CONDA.get(name, name), version)
