"""Which frameworks a file imports: scripts beside files of another one are not PyTorch's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_FRAMEWORKS = ("torch", "tensorflow", "paddle", "jax", "mxnet", "mindspore", "oneflow")
_PATTERNS = tuple(
    (name, name.encode(), re.compile(rb"^[ \t]*(?:import|from)[ \t]+" + name.encode() + rb"\b", re.M))
    for name in _FRAMEWORKS
)


def frameworks_in(data: bytes) -> tuple[str, ...]:
    """The frameworks that a file imports; a word that it lacks costs no search for imports."""
    return tuple(name for name, word, pattern in _PATTERNS if word in data and pattern.search(data))


def main_framework(path: str, known: Mapping[str, Mapping[str, int]]) -> str:
    """The framework that most files in or below the nearest directory above a path import that imports any.

    Of several that are as frequent PyTorch comes first; empty where none is known.

    Args:
        known: By directory: how many of the files in it and below import each framework.
    """
    directory = path.rpartition("/")[0]
    while True:
        found = known.get(directory)
        if found:
            return max(found, key=lambda name: (found[name], -_FRAMEWORKS.index(name)))
        if not directory:
            return ""
        directory = directory.rpartition("/")[0]


def directories_above(path: str) -> Iterator[str]:
    """The directory of a file and those above it, to the project's, which is the empty text."""
    while path:
        path = path.rpartition("/")[0]
        yield path
