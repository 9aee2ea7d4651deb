"""Whether a file can concern any rule at all, told from its bytes: no parse, a few plain searches.

Most files of a project mention neither torch nor a device. Each search costs about as much as reading
the file once, so there are few: a rule's own words are searched for, while the many libraries that rules
know by name are looked for only where the file imports something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from .rule import Event

ASSUMED_ROOT = "torch"
"""The module whose name counts even in a file that does not import it."""

_FROM = re.compile(rb"from[\s\\]+(\w+)")
_IMPORT = re.compile(rb"import[\s\\]+((?:[\w., \t\f]+|\\\r?\n?)+)")
_WORD = re.compile(rb"\w+")


class Triggers(NamedTuple):
    """What a file must have of at least one."""

    words: tuple[bytes, ...]
    """Lower-case texts that stand anywhere, in any case of letters; none holds another."""
    modules: frozenset[bytes]
    """Top-level modules that it imports."""


@lru_cache(maxsize=1)
def triggers() -> Triggers:
    """The triggers of all rules together."""
    from .catalog import all_rules

    words, modules = {ASSUMED_ROOT}, set()
    for rule in all_rules():
        if rule.only_with is not None:
            words.add(rule.only_with)
            continue
        for wish, _ in rule.handlers():
            if wish.event in (Event.NAME, Event.IMPORT):
                modules.add(wish.pattern.partition(".")[0].encode())
            else:
                words.add(wish.pattern)
    return Triggers(tuple(_shortest(word.lower().encode() for word in words)), frozenset(modules))


def _shortest(words: Iterable[bytes]) -> list[bytes]:
    """The words without those that hold another one."""
    shortest: list[bytes] = []
    for word in sorted(set(words), key=lambda item: (len(item), item)):
        if not any(known in word for known in shortest):
            shortest.append(word)
    return shortest


def may_concern(data: bytes) -> bool:
    """Whether some rule may find something in a file of these bytes.

    Plain loops: for a small file a generator or a set made on the way would cost as much as the searches.
    """
    words, modules = triggers()
    lower = data.lower()
    for word in words:
        if word in lower:
            return True
    return not (modules.isdisjoint(_FROM.findall(data)) and modules.isdisjoint(imported_names(data)))


def imported_names(data: bytes) -> list[bytes]:
    """Every name in what follows ``import``: rather one too many."""
    return _WORD.findall(b" ".join(_IMPORT.findall(data)))
