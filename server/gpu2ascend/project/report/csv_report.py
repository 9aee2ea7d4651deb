"""One report as a table that spreadsheets open."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...texts.escaping import csv_cell
from ..manifest.report_names import PART_SUFFIX


class CsvReport:
    """Rows go to the file as they come.

    The text is UTF-8 with LF line ends. A byte order mark is put before it exactly when it is not ASCII:
    spreadsheets on Chinese systems take UTF-8 for GBK without one, while scripts that read plain ASCII
    reports need not know of it. Cells that a spreadsheet would run begin with ``'``.
    """

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self._path = path
        self._is_ascii = True
        self._file = path.open("x", encoding="utf-8", errors="backslashreplace", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(header)

    def add(self, row: Sequence[str | int]) -> None:
        """Add a row. Raises OSError: it cannot be written."""
        cells = [csv_cell(cell) for cell in row]
        self._is_ascii = self._is_ascii and all(str(cell).isascii() for cell in cells)
        self._writer.writerow(cells)

    def close(self) -> None:
        """Write what is buffered, and the byte order mark where one is needed.
        Raises OSError: it cannot be written."""
        self._file.close()
        if not self._is_ascii:
            _put_before(self._path, codecs.BOM_UTF8)

    def abandon(self) -> None:
        """Close the file of a report that is not kept."""
        with suppress(OSError):
            self._file.close()


def _put_before(path: Path, prefix: bytes) -> None:
    aside = path.with_name(path.name + PART_SUFFIX)
    with path.open("rb") as file, aside.open("xb") as output:  # never through a link of the project's
        output.write(prefix)
        while block := file.read(1 << 20):
            output.write(block)
    aside.replace(path)
