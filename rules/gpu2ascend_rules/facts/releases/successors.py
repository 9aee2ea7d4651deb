"""What to use in the place of a name that a version of torch does not have."""

from __future__ import annotations

import re
from functools import cache

from ...data import load_tsv
from ...model.versions import Version
from .history import lacking

_NAME = re.compile(r"torch(?:\.\w+)+")


def successor_of(name: str, version: Version) -> str | None:
    """The text that a message shows, or None. What the version does not have either is not recommended."""
    head = name
    while "." in head:
        for instead in _successors().get(head, ()):
            if all(lacking(other, version) is None for other in _NAME.findall(instead)):
                return instead
        head = head.rpartition(".")[0]
    return None


def has_own_successor(name: str) -> bool:
    """Whether it is known of the name itself what to use, and not of a module above it."""
    return name in _successors()


@cache
def _successors() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in load_tsv("successors"):
        found[row["api"]] = (*found.get(row["api"], ()), row["instead"])
    return found
