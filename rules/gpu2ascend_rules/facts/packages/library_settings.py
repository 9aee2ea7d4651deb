"""Arguments by which code asks libraries for what the NPU lacks, or has from a release on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ...data import load_tsv
from ...model.finding import Severity


class LibrarySetting(NamedTuple):
    """One row of ``library_settings.tsv``, which says what its columns mean."""

    id: str
    callee: re.Pattern[str]
    value: re.Pattern[str]
    imports: tuple[str, ...]
    package: str
    since: tuple[int, ...]
    severity: Severity
    becomes: str


@cache
def library_settings() -> Mapping[str, tuple[LibrarySetting, ...]]:
    """The rows by their keyword."""
    found: dict[str, list[LibrarySetting]] = {}
    for row in load_tsv("library_settings"):
        found.setdefault(row["keyword"], []).append(_read(row))
    return {keyword: tuple(rows) for keyword, rows in found.items()}


def _read(row: Mapping[str, str]) -> LibrarySetting:
    return LibrarySetting(
        row["id"],
        re.compile(row["callee"]),
        re.compile(row["value"]),
        tuple(row["imports"].split()),
        row["package"],
        tuple(map(int, filter(None, row["since"].split(".")))),
        Severity(row["severity"]),
        row["becomes"],
    )
