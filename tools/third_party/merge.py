"""Merges what three sources say of packages of others into the one table that the product reads."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parent / "sources"
TABLE = Path(__file__).parents[2] / "rules" / "gpu2ascend_rules" / "data" / "third_party.tsv"
COLUMNS = (
    "package", "imports", "status", "works_from", "replacement", "treatment", "install_advice",
    "import_advice", "note", "source", "confidence",
)  # fmt: skip
STATUSES = ("works", "plain", "part", "replaced", "cpu", "no", "other", "unverified")
_HEAD = (
    "# Packages of others: one row a package, or modules without one. Made by `python -m tools.third_party`\n"
    "# from the sources there, which explain the columns; not edited by hand. A package may end in `*`: the\n"
    "# longest match counts. Of a package that is `replaced`, works_from is a release of the replacement.\n"
)
_CANONICAL = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*(?:-?\*)?")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")
_OF_TREATMENT = {"drop": "no", "build": "no", "replace": "replaced", "ask": "part"}
_OF_ADVICE = {
    "cpu_builds": "cpu",
    "adaptor": "part",
    "driving": "part",
    "quantization": "part",
    "trainer": "part",
}
_COVERAGE = "docs/coverage/third_party.tsv"
Row = dict[str, str]


class SourceError(ValueError):
    """A source contradicts itself or another one."""


def read_rows(path: Path) -> list[Row]:
    """The rows of a source, by column; lines that begin with ``#`` are comments."""
    with path.open(encoding="utf-8", newline="") as stream:
        lines = (line for line in stream if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def merged(sources: Path = SOURCES) -> list[Row]:
    """The rows of the table, those with a package first, each kind by name.

    Raises:
        SourceError: a package or module has two rows in a source, two modules of a package have different
            advice, or a value is none that the column takes.
    """
    advice = _by_key(read_rows(sources / "imports.tsv"), "import")
    installs = _by_key(read_rows(sources / "installs.tsv"), "package")
    verdicts = _by_key(read_rows(sources / "verdicts.tsv"), "package")
    rows = [_of_package(name, verdicts.get(name), installs.get(name), advice) for name in verdicts | installs]
    taken = {module for row in rows for module in row["imports"].split()}
    rows += [_of_module(module, advice[module]["advice"]) for module in advice if module not in taken]
    for row in rows:
        _verify(row)
    return sorted(rows, key=lambda row: (not row["package"], row["package"], row["imports"].lower()))


def table_text(rows: list[Row]) -> str:
    """The file that holds the rows."""
    return _HEAD + "".join("\t".join(line) + "\n" for line in _lines(rows))


def _lines(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield COLUMNS
    for row in rows:
        yield tuple(row[column] for column in COLUMNS)


def _by_key(rows: list[Row], key: str) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for row in rows:
        if row[key] in found:
            raise SourceError(f"{row[key]} has two rows")
        found[row[key]] = row
    return found


def _of_package(name: str, verdict: Row | None, install: Row | None, advice: dict[str, Row]) -> Row:
    row = dict.fromkeys(COLUMNS, "") | {"package": name}
    if verdict is not None:
        row |= {column: verdict[column] for column in COLUMNS if column in verdict}
        said = {advice[module]["advice"] for module in row["imports"].split() if module in advice}
        if len(said) > 1:
            raise SourceError(f"the modules of {name} have different advice: {', '.join(sorted(said))}")
        row["import_advice"] = next(iter(said), "")
    else:
        row |= {"confidence": "M", "source": "docs/coverage/dependencies.tsv"}
    if install is not None:
        row["status"] = row["status"] or _OF_TREATMENT[install["treatment"]]
        row |= {"treatment": install["treatment"], "install_advice": install["advice"]}
        row["replacement"] = row["replacement"] or install["replacement"]
        if install["replacement"] not in ("", row["replacement"]):
            raise SourceError(f"{name} has two replacements")
    return row


def _of_module(module: str, advice: str) -> Row:
    given = {"imports": module, "import_advice": advice, "source": _COVERAGE, "confidence": "M"}
    return dict.fromkeys(COLUMNS, "") | given | {"status": _OF_ADVICE.get(advice, "no")}


def _verify(row: Row) -> None:
    name = row["package"] or row["imports"]
    if row["status"] not in STATUSES:
        raise SourceError(f"{name}: {row['status']!r} is no status")
    if row["package"] and not _CANONICAL.fullmatch(row["package"]):
        raise SourceError(f"{name} is not spelt as the package index compares names")
    if row["works_from"] and not _RELEASE.fullmatch(row["works_from"]):
        raise SourceError(f"{name}: {row['works_from']!r} is no release")
    if row["status"] == "replaced" and not row["replacement"]:
        raise SourceError(f"{name} is replaced by nothing")
    if not row["source"] or row["confidence"] not in ("H", "M", "L"):
        raise SourceError(f"{name} has no source, or no confidence")
