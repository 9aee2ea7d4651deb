"""Records of files on the disk until the page is made: a project may have more of them than memory holds."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ..hunks import Hunks, Row
from ..result import FileStatus
from .model import FileRecord


class Spool:
    """Keeps records in a file without a name, where the system allows that; it goes when it is closed."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._file: IO[bytes] | None = None

    def add(self, record: FileRecord) -> None:
        """Keep one.

        Raises:
            OSError: it cannot be written.
        """
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix=".gpu2ascend-", dir=self._directory)  # noqa: SIM115
        self._file.write(json.dumps(_plain(record), separators=(",", ":")).encode("ascii") + b"\n")

    def __iter__(self) -> Iterator[FileRecord]:
        """All of them, in the order in which they came."""
        if self._file is None:
            return
        self._file.seek(0)
        for line in self._file:
            yield _record(json.loads(line))

    def close(self) -> None:
        """Forget them."""
        if self._file is not None:
            with suppress(OSError):  # what does not fit on the disk any more is not wanted any more
                self._file.close()
            self._file = None


def _plain(record: FileRecord) -> tuple[Any, ...]:
    return tuple(record._replace(status=record.status.value))  # type: ignore[arg-type]


def _record(values: list[Any]) -> FileRecord:
    record = FileRecord(*values)
    return record._replace(status=FileStatus(values[1]), hunks=_hunks(record.hunks))


def _hunks(values: Any) -> Hunks | None:
    if values is None:
        return None
    parts, left_out = values
    return Hunks(tuple(tuple(Row(*row) for row in part) for part in parts), left_out)
