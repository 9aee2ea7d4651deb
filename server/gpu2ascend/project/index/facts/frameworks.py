"""Which frameworks a file imports: scripts beside files of another one are not PyTorch's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...files.content.import_statements import import_statements

IN_A_LINE = rb"(?:^|[;\"])"
"""Where a statement may begin: at the start of a line, behind a semicolon, in a line of a notebook's JSON."""

_FRAMEWORKS = ("torch", "tensorflow", "paddle", "jax", "mxnet", "mindspore", "oneflow")


class ImportOf:
    """Asks whether a text imports a module; a word that it lacks costs no search for imports."""

    def __init__(self, module: str, prefix: str = "", begins: bytes = b"^") -> None:
        """
        Args:
            module: The top-level module.
            prefix: A pattern of what may stand before its name, as in ``pytorch_lightning``.
            begins: A pattern of where an import may begin.
        """
        self._word = module.encode()
        name = prefix.encode() + self._word
        self._pattern = re.compile(begins + rb"[ \t]*(?:import|from)[ \t]+" + name + rb"\b", re.M)

    def is_in(self, data: bytes) -> bool:
        """Whether a text does so, in its code or in what looks like it."""
        return self._word in data and self._pattern.search(data) is not None


def frameworks_in(python: bytes) -> tuple[str, ...]:
    """The frameworks that a file imports."""
    modules = (module for statement in import_statements(python) for module in statement.modules)
    imported = {module.partition(b".")[0] for module in modules}
    return tuple(name for name in _FRAMEWORKS if name.encode() in imported)


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
