"""Step two: from a folder of TSV files to the packed tables beside the lookup code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..version_set import written
from .pack_names import name_tables
from .pack_support import alias_lines, operator_lines, support_lines

TABLES = ("aliases.tsv", "counterparts.tsv", "npu_names.tsv", "operators.tsv", "support.tsv")


def packed_tables(folder: Path) -> dict[str, bytes]:
    """The content of every packed table, by file name.

    Raises:
        TsvError: a file of the folder is not of its form, or contradicts another.
        FileNotFoundError: a file is missing.
    """
    names = name_tables(folder)
    counterparts = (
        (
            name,
            written(entry.versions),
            entry.relation,
            entry.npu_name,
            entry.kind,
            "yes" * entry.is_documented,
        )
        for name, entry in names.cuda.items()
    )
    npu_names = (
        (name, written(entry.versions), entry.kind, "yes" * entry.is_public)
        for name, entry in names.npu.items()
    )
    return {
        "aliases.tsv": _table(alias_lines(folder)),
        "counterparts.tsv": _table(counterparts),
        "npu_names.tsv": _table(npu_names),
        "operators.tsv": _table(operator_lines(folder)),
        "support.tsv": _table(support_lines(folder)),
    }


def _table(rows: Iterable[Iterable[str]]) -> bytes:
    lines = ["\t".join(row) for row in rows]
    return "".join(f"{line}\n" for line in sorted(lines, key=_key)).encode()


def _key(line: str) -> bytes:
    return line.partition("\t")[0].encode()
