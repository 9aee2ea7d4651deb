"""``python -m tools.support_tables.releases WHEEL ...``: the tables of torch's own names, from its wheels."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu2ascend_rules.data import load_tsv

from ..collect.wheel import Wheel
from .canonical import canonical_rows
from .history import History
from .release import Release

_RULES = Path(__file__).parents[3] / "rules" / "gpu2ascend_rules" / "facts"
_SOURCES = Path(__file__).parents[1] / "sources"
TABLES = _RULES / "releases"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.support_tables.releases", description=__doc__)
    parser.add_argument("wheels", type=Path, nargs="+", metavar="WHEEL", help="one of each minor release")
    parser.add_argument("--into", type=Path, default=TABLES, help="the folder that the tables are written to")
    parsed = parser.parse_args(arguments)
    releases = [Release(Wheel(path)) for path in parsed.wheels]
    documented = _first_columns(_RULES / "packed" / "support.tsv")
    for name, rows in (
        ("history.tsv", (*History(releases).rows(), *_long_gone())),
        ("canonical.tsv", canonical_rows(releases, documented)),
    ):
        (parsed.into / name).write_bytes(_table(rows))
    return 0


def _long_gone() -> Iterator[list[str]]:
    """The rows of names that only older releases had than those that are read."""
    for row in load_tsv("long_gone", _SOURCES):
        yield [row["name"], f"-{row['gone']}"]


def _first_columns(path: Path) -> frozenset[str]:
    return frozenset(line.partition("\t")[0] for line in path.read_text("utf-8").splitlines())


def _table(rows: Iterable[list[str]]) -> bytes:
    lines = ["\t".join(row) for row in rows]
    return "".join(
        f"{line}\n" for line in sorted(lines, key=lambda line: line.partition("\t")[0].encode())
    ).encode()


if __name__ == "__main__":
    raise SystemExit(main())
