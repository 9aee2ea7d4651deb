"""Reading and writing the TSV files between the two steps: a header line, tabs, UTF-8, no quoting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Row = Mapping[str, str]


class TsvError(ValueError):
    """A TSV file is not of the form that the generator reads."""


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a file, by column.
    Raises TsvError: the file is empty, or a line has more or fewer columns than the header."""
    lines = path.read_text("utf-8").splitlines()
    if not lines:
        raise TsvError(f"{path}: empty")
    columns = lines[0].split("\t")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        values = line.split("\t")
        if len(values) != len(columns):
            raise TsvError(f"{path}:{number}: {len(values)} columns, the header has {len(columns)}")
        rows.append(dict(zip(columns, values, strict=True)))
    return rows


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows as a file, with a header of ``columns``.
    Raises TsvError: a value has a tab or a line break in it."""
    lines = ["\t".join(columns)]
    for row in rows:
        values = [row.get(column, "") for column in columns]
        if any(character in value for value in values for character in "\t\r\n"):
            raise TsvError(f"{path}: a value of {values} has a tab or a line break in it")
        lines.append("\t".join(values))
    path.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
