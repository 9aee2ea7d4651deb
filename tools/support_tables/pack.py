"""Step two: from a folder of TSV files to the packed tables beside the lookup code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu2ascend_rules.facts.names.npu_names import WHEELS_KEY
from gpu2ascend_rules.facts.version_set import written

from .pack_names import NameTables, name_tables
from .pack_support import alias_lines, operator_lines, private_lines, support_lines


def packed_tables(folder: Path) -> dict[str, bytes]:
    """The content of every packed table, by file name.

    Raises:
        TsvError: a file of the folder is not of its form, or contradicts another.
        FileNotFoundError: a file is missing.
    """
    names = name_tables(folder)
    return {
        "aliases.tsv": _table(alias_lines(folder)),
        "counterparts.tsv": _table(_counterpart_lines(names)),
        "npu_names.tsv": _table(_name_lines(names)),
        "operators.tsv": _table(operator_lines(folder)),
        "private.tsv": _table(private_lines(folder)),
        "support.tsv": _table(support_lines(folder)),
    }


def _counterpart_lines(names: NameTables) -> Iterator[list[str]]:
    for name, entry in names.cuda.items():
        documented = "yes" if entry.is_documented else ""
        yield [name, written(entry.versions), entry.relation, entry.npu_name, entry.kind, documented]


def _name_lines(names: NameTables) -> Iterator[list[str]]:
    yield [WHEELS_KEY, *(f"{version}={wheel}" for version, wheel in names.wheels.items())]
    for name, entry in names.npu.items():
        yield [name, written(entry.versions), entry.kind, "yes" if entry.is_public else ""]


def _table(rows: Iterable[list[str]]) -> bytes:
    """The rows as a sorted text; a key that nothing is said of is left out."""
    lines = ["\t".join(row) for row in rows if len(row) > 1]
    return "".join(f"{line}\n" for line in sorted(lines, key=_key)).encode()


def _key(line: str) -> bytes:
    return line.partition("\t")[0].encode()
