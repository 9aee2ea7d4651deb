"""Which libraries have objects with a tensor's methods."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache

from ...data import load_tsv

_TABLE = "methods_of_libraries"
_EVERY = frozenset({"*"})
_CONVERTED = frozenset({"torch", "torchvision"})
"""Libraries of which all that is used is converted, or keeps the file as it is."""


def methods_of_libraries(roots: Iterable[str]) -> frozenset[str]:
    """The methods of tensors that objects of some libraries have as well; ``*`` where one is not known.

    Args:
        roots: The top-level modules that a file imports, those of the project aside.
    """
    return frozenset[str]().union(*map(_methods_of, roots))


def _methods_of(root: str) -> frozenset[str]:
    listed = _libraries().get(root)
    if listed is not None or root in _CONVERTED or root in sys.stdlib_module_names:
        return listed or frozenset()
    return _EVERY


@cache
def _libraries() -> Mapping[str, frozenset[str]]:
    return {row["library"]: frozenset(row["methods"].split()) for row in load_tsv(_TABLE)}
