"""What a reviewer said of findings and edits: rows of a committed table."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .causes import Cause, by_rule

TABLE = Path(__file__).with_name("judgements.tsv")
COLUMNS = ("project", "version", "code", "place", "message", "verdict", "reason")
VERDICTS = ("useful", "noise", "wrong")
"""Asks for something that is needed; asks for nothing; says what is not so."""
_SEED = 15


class Judgement(NamedTuple):
    """One statement and what it is worth; the verdict is empty until somebody has read the place."""

    project: str
    version: str
    code: str
    place: str
    message: str
    verdict: str
    reason: str


def judgements() -> list[Judgement]:
    """The rows of the table. Raises ValueError: a verdict is none."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        rows = [Judgement(**row) for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)]
    for row in rows:
        if row.verdict not in VERDICTS:
            raise ValueError(f"no verdict: {row}")
    return rows


def sample(causes: Iterable[Cause], per_rule: int) -> list[Judgement]:
    """A random sample, ``per_rule`` causes of each rule at most, the same every time."""
    chosen: list[Judgement] = []
    for code, of_rule in by_rule(causes).items():
        picked = random.Random(f"{_SEED}{code}").sample(of_rule, min(per_rule, len(of_rule)))
        chosen += [
            Judgement(item.project, item.version, code, item.place, item.message, "", "")
            for item in sorted(picked)
        ]
    return chosen


def write(rows: Iterable[Judgement], path: Path) -> None:
    """Write rows as a table."""
    lines = ("\t".join(field.replace("\t", " ") for field in row) for row in (COLUMNS, *rows))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
