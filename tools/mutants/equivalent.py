"""The survivors that no test can kill, or that none should, with the reason: ``equivalent.tsv``."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .sampling import Mutant

TABLE = Path(__file__).with_name("equivalent.tsv")
ANY = "*"


class Equivalent(NamedTuple):
    """A change that does not change what the program does, as far as anybody relies on it."""

    path: str
    before: str
    """The changed lines, with single spaces. Without line numbers, which every edit above would change."""
    after: str
    """The lines that they become; :data:`ANY` for whatever a mutation makes of them."""
    reason: str


def load(table: Path = TABLE) -> list[Equivalent]:
    """The listed equivalents."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Equivalent(*row) for row in rows][1:]


def reason(mutant: Mutant, listed: list[Equivalent]) -> str | None:
    """Why a mutant is equivalent; None if it is not listed."""
    for item in listed:
        if (item.path, item.before) == (mutant.path, mutant.before) and item.after in (ANY, mutant.after):
            return item.reason
    return None


def outdated(root: Path, listed: list[Equivalent]) -> Iterator[Equivalent]:
    """Rows of code that is no longer there."""
    for item in listed:
        path = root / item.path
        code = " ".join(path.read_text(encoding="utf-8").split()) if path.is_file() else ""
        if item.before not in code:
            yield item
