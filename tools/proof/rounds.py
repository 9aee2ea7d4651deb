"""The rounds of reading on projects that no test knows, from ``rounds.tsv``.

The table holds each count at first sight and after mending (``_after``): edits that break or silently
change a program, places that fail on the NPU without a finding, findings that ask for nothing, and projects
whose verdict is right.
"""

from __future__ import annotations

import csv
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).with_name("rounds.tsv")
_SIZES = ("projects", "files", "edits", "findings")
_JUDGED = ("wrong", "untold", "needless", "right")


class Round(NamedTuple):
    """One round, as its row says."""

    number: str
    kind: str
    chinese_kind: str
    counts: dict[str, int]
    names: tuple[str, ...]


def rounds() -> tuple[Round, ...]:
    """All rounds, in their order."""
    columns = [*_SIZES, *_JUDGED, *(f"{name}_after" for name in _JUDGED)]
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        return tuple(
            Round(
                row["round"],
                row["kind"],
                row["kind_zh"],
                {name: int(row[name]) for name in columns},
                tuple(row["names"].split(", ")),
            )
            for row in csv.DictReader(stream, delimiter="\t")
        )


def table_rows(read: Sequence[Round], *, chinese: bool) -> Iterable[str]:
    """The rows of the page's table, and their sum."""
    for one in read:
        yield _row(one.number, one.chinese_kind if chinese else one.kind, one.counts)
    sums = {name: sum(one.counts[name] for one in read) for name in read[0].counts}
    yield _row("合计" if chinese else "all", "", sums)


def known_projects(read: Iterable[Round]) -> str:
    """The names of the projects that the table names, sorted without regard to case, in lines."""
    names = ", ".join(sorted({name for one in read for name in one.names}, key=str.lower))
    return textwrap.fill(names, 130, break_long_words=False, break_on_hyphens=False)


def _row(number: str, kind: str, counts: dict[str, int]) -> str:
    sizes = [f"{counts[name]:,}" for name in _SIZES]
    judged = [_change(counts[name], counts[f"{name}_after"]) for name in _JUDGED]
    return f"| {' | '.join([number, kind, *sizes, *judged])} |"


def _change(first: int, after: int) -> str:
    return str(first) if first == after else f"{first} → {after}"
