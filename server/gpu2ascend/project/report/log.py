"""The log of a migration: ``msFmkTranspltlog.txt``, 1 MB a file and ten files at most."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message, Severity

from ...texts.escaping import log_line
from ..manifest.report_names import MAX_LOG_FILES

MAX_BYTES = 1_000_000

_LEVELS = {
    Severity.ERROR: logging.ERROR,
    Severity.WARNING: logging.WARNING,
    Severity.INFORMATION: logging.INFO,
    Severity.HINT: logging.INFO,
}


class _Handler(RotatingFileHandler):
    """A full disk must stop the migration; the handler of the library would print and go on."""

    def handleError(self, record: logging.LogRecord) -> None:
        raise


class MigrationLog:
    """Writes messages in one language. The oldest of ten full files gives way to the newest."""

    def __init__(self, path: Path, language: str) -> None:
        self._path = path
        self._language = language
        self._handler = _Handler(
            path,
            maxBytes=MAX_BYTES,
            backupCount=MAX_LOG_FILES - 1,
            encoding="utf-8",
            errors="backslashreplace",
        )
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(message)s"))
        # A separate logger: no other configuration applies to it.
        self._logger = logging.Logger("gpu2ascend.migration", logging.INFO)
        self._logger.addHandler(self._handler)

    def write(self, message: Message, severity: Severity = Severity.INFORMATION) -> None:
        """Add a line. Raises OSError: it cannot be written."""
        self._logger.log(_LEVELS[severity], "%s", log_line(render(message, self._language)))

    def close(self) -> None:
        """Write what is buffered and close the file."""
        self._logger.removeHandler(self._handler)
        self._handler.close()

    def names(self) -> tuple[str, ...]:
        """The names of the files that there are, the newest first."""
        rotated = (f"{self._path.name}.{number}" for number in range(1, MAX_LOG_FILES))
        return (self._path.name, *(name for name in rotated if self._path.with_name(name).exists()))
