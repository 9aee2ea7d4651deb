"""From a dotted name to what the support lists say of it, unless a rule of its own says more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..facts import Facts, SupportStatus
from .events import NameRef
from .rule import Event, Family

ELSEWHERE = ("torch.cuda", "torch.npu", "torch.version", "torch.profiler", "torch.backends")
"""Modules that have rules of their own."""


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
    if known is None:
        return None
    first = ref.root_name.count(".") + 1
    if known.length < first:
        return None
    parts = ref.name.split(".")
    node = ref.chain.nodes[known.length - first]
    return ref._replace(name=".".join(parts[: known.length]), node=node, rest=tuple(parts[known.length :]))


@lru_cache(maxsize=8192)
def longest_listed(name: str, facts: Facts) -> LongestListed | None:
    """How many components of a name its longest listed part has, and that part's status."""
    if name.startswith(ELSEWHERE) or has_rule_of_its_own(name):
        return None
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        status = facts.status(".".join(parts[:count]))
        if status is not SupportStatus.UNKNOWN:
            return LongestListed(count, status.value)
    return None


@lru_cache(maxsize=4096)
def has_rule_of_its_own(name: str) -> bool:
    """Whether a rule of another family speaks of a name, and says more than a list can."""
    return any(name == known or name.startswith(f"{known}.") for known in _names_with_rules())


@lru_cache(maxsize=1)
def _names_with_rules() -> frozenset[str]:
    patterns = (pattern.removesuffix(".**") for pattern in _wished_elsewhere(Event.NAME))
    return frozenset(pattern for pattern in patterns if "." in pattern)


@lru_cache(maxsize=1)
def members_with_rules() -> frozenset[str]:
    """The names of members of which a rule of another family speaks."""
    return frozenset(_wished_elsewhere(Event.MEMBER))


def _wished_elsewhere(event: Event) -> Iterator[str]:
    """The patterns that rules of other families wait for."""
    from .registry import all_rules

    for rule in all_rules():
        if rule.family is not Family.SUPPORT:
            yield from (wish.pattern for wish, _ in rule.handlers() if wish.event is event)
