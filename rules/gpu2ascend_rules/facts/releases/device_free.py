"""APIs of torch that touch no device, whatever a support list says of them."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from ...data import load_tsv


@lru_cache(maxsize=4096)
def is_device_free(api: str) -> bool:
    """Whether an API computes nothing on a device: nothing of it can fail for want of a kernel."""
    exact, patterns = _names()
    return api in exact or any(fnmatchcase(api, pattern) for pattern in patterns)


@lru_cache(maxsize=1024)
def creation_on_cpu(api: str) -> str | None:
    """For a function that makes a CPU tensor unless it gets a device: ``yes`` if it has a parameter for one,
    ``no`` if it has none. ``None`` for other APIs."""
    made = _creations()
    return made.get(api) or next((made[item] for item in made if fnmatchcase(api, item)), None)


@cache
def _names() -> tuple[frozenset[str], tuple[str, ...]]:
    """The names of the table, and its patterns."""
    listed = [row["pattern"] for row in load_tsv("device_free")]
    patterns = tuple(item for item in listed if "*" in item)
    return frozenset(listed) - frozenset(patterns), patterns


@cache
def _creations() -> Mapping[str, str]:
    return {row["pattern"]: row["device"] for row in load_tsv("cpu_creations")}
