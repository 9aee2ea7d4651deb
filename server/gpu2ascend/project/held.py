"""Results that wait on the disk until all of them are there."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Generic, TypeVar

from .errors import writing

_Item = TypeVar("_Item")


class Held(Generic[_Item]):
    """Results on the disk, in a file that goes when it is closed."""

    def __init__(self, results: Iterable[_Item], directory: Path | None = None) -> None:
        """
        Args:
            directory: Where the file is; without it, where the system has its temporary files.

        Raises:
            OutputError: they cannot be written.
        """
        place = directory or Path(tempfile.gettempdir())
        with writing(place):
            self._file: IO[bytes] = tempfile.TemporaryFile(prefix=".gpu2ascend-", dir=directory)  # noqa: SIM115
        for result in results:
            with writing(place):
                pickle.dump(result, self._file)

    def __iter__(self) -> Iterator[_Item]:
        """All of them, in the order in which they came."""
        self._file.seek(0)
        with suppress(EOFError):
            while True:
                yield pickle.load(self._file)

    def close(self) -> None:
        """Forget them."""
        self._file.close()
