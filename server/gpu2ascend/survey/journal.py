"""The results so far, in a file: a survey that was interrupted goes on where it ended."""

from __future__ import annotations

import enum
import hashlib
import json
from pathlib import Path
from typing import Any

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, option_infos
from gpu2ascend_rules.targets.target import Target

from .. import __version__
from ..project.errors import InputError, reason, writing
from ..project.paths import exists, shown
from ..project.regular_files import NotRegularError, TooLargeError, read_regular
from .look import Looked
from .model import State, Surveyed

_BYTES = 2_000_000_000


class Journal:
    """A file with one result a line. What could not be looked at is tried again."""

    def __init__(self, path: Path, options: MigrationOptions, language: str) -> None:
        """
        Raises:
            InputError: the file is no journal of a survey, or one with other options or of another version.
        """
        self._path = path
        self._made_with = _made_with(options, language)
        self.known: dict[str, Looked] = {}
        """By the path of the project."""
        if exists(path):
            self._read()

    def note(self, looked: Looked) -> None:
        """Add a result. Raises OutputError: the file cannot be written."""
        with writing(self._path):
            is_new = not exists(self._path)
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                if is_new:
                    file.write(f"{json.dumps(self._made_with)}\n")
                record = {"fingerprint": looked.fingerprint, "project": looked.project.document()}
                file.write(f"{json.dumps(record, ensure_ascii=True)}\n")

    def _read(self) -> None:
        try:
            lines = read_regular(self._path, _BYTES).decode("utf-8").split("\n")
        except (OSError, NotRegularError, TooLargeError, UnicodeDecodeError) as error:
            said = reason(error) if isinstance(error, OSError) else str(error)
            raise InputError(Message.of("survey.no-journal", path=shown(self._path), reason=said)) from error
        if _record(lines[0]) != self._made_with:
            raise InputError(Message.of("survey.other-journal", path=shown(self._path)))
        for line in lines[1:]:
            looked = _looked(_record(line))
            if looked is not None:
                self.known[looked.project.path] = looked
        if lines[-1]:  # cut off in the middle of a line, which the next one must not continue
            with writing(self._path), self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write("\n")


def _made_with(options: MigrationOptions, language: str) -> dict[str, str]:
    known = repr([(name, _plain(getattr(options, name))) for name in option_infos()])
    digest = hashlib.sha256(known.encode("utf-8", "surrogateescape")).hexdigest()
    return {"gpu2ascend": __version__, "language": language, "options": digest}


def _plain(value: object) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    return value.name if isinstance(value, Target) else value


def _record(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:  # the last line of a run that was ended
        return None


def _looked(record: Any) -> Looked | None:
    try:
        project = Surveyed.of(record["project"])
        mark = str(record["fingerprint"])
    except (KeyError, TypeError, ValueError):
        return None
    return Looked(project, mark) if project.state is not State.FAILED else None
