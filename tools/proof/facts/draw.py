"""Rows of the tables that name a source each, drawn at random with a fixed seed."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parents[3] / "rules" / "gpu2ascend_rules" / "data"
CHECKED = Path(__file__).with_name("facts.tsv")
SEED = 38
_LEFT_OUT = ("confidence", "note", "import_advice", "install_advice")
"""Columns that say how a fact is told, not what it is."""


class Fact(NamedTuple):
    """A row of a table."""

    table: str
    text: str
    """``column=value`` of all cells that are not empty."""
    source: str


def facts() -> Iterator[Fact]:
    """The rows of all tables that name a source in each row."""
    for path in sorted(DATA.glob("*.tsv")):
        for row in rows_of(path):
            if row.get("source"):
                cells = (
                    f"{column}={value}"
                    for column, value in row.items()
                    if value and column != "source" and column not in _LEFT_OUT
                )
                yield Fact(path.stem, "; ".join(cells), row["source"])


def drawn(count: int, seed: int = SEED) -> list[Fact]:
    """So many facts, the same ones as long as the tables are the same."""
    return random.Random(seed).sample(list(facts()), count)


def checked() -> list[dict[str, str]]:
    """The facts that a person has checked, with what their sources say."""
    return rows_of(CHECKED)


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table; lines that begin with ``#`` are comments."""
    lines = (line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
