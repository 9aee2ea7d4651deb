"""What a migration leaves to a person, one row a cause, as a terminal shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Cause(NamedTuple):
    """A rule's statement about a project for a version."""

    project: str
    version: str
    code: str
    severity: str
    message: str
    place: str
    """The first file and line."""
    places: int


def causes_of(project: str, document: Mapping[str, Any]) -> list[Cause]:
    """The causes of a result document of ``migrate --json``."""
    first: dict[tuple[str, str, str], str] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for file in document["files"]:
        for item in file["remaining"]:
            key = (item["code"], item["severity"], item["message"])
            first.setdefault(key, f"{file['path']}:{item['start_line']}")
            counts[key] += 1
    return [Cause(project, document["version"], *key, first[key], counts[key]) for key in first]


def by_rule(causes: Iterable[Cause]) -> dict[str, list[Cause]]:
    """The causes of each rule, by its code."""
    found: dict[str, list[Cause]] = {}
    for cause in sorted(causes):
        found.setdefault(cause.code, []).append(cause)
    return dict(sorted(found.items()))
