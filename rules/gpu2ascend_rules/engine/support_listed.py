"""From a dotted name to what the support lists say of it, unless a specific rule says more."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..facts import Facts, SupportStatus
from ..facts.names.long_names import MOST_PARTS
from .events import NameRef
from .registry import has_specific_rule

_SWITCHES = ("torch.version", "torch.backends")
"""Modules of switches, and of answers about the build: nothing there runs on a device."""


class LongestListed(NamedTuple):
    """The longest part of a dotted name that a list has."""

    length: int
    """How many components it has."""
    status: str
    """The value of its ``SupportStatus``, which takes a while to be asked for."""


def listed_api(ref: NameRef, facts: Facts) -> NameRef | None:
    """A dotted name cut to the longest part of it that a support list has.

    Attributes that follow it in the text (``torch.float32.itemsize``) belong to no list.
    """
    known = longest_listed(ref.name, facts)
    return ref.cut(known.length) if known is not None and known.length >= ref.root_length else None


def is_left_to_others(name: str) -> bool:
    """Whether a list has nothing to add: a rule of another family covers the name, or it is a mere switch."""
    return name.startswith(_SWITCHES) or has_specific_rule(name)


@lru_cache(maxsize=8192)
def longest_listed(name: str, facts: Facts) -> LongestListed | None:
    """How many components of a name its longest listed part has, and that part's status."""
    if is_left_to_others(name):
        return None
    parts = name.split(".", MOST_PARTS)
    for count in range(min(len(parts), MOST_PARTS), 1, -1):
        status = facts.status(".".join(parts[:count]))
        if status is not SupportStatus.UNKNOWN:
            return LongestListed(count, status.value)
    return None
