"""The projects, and the mistakes that are planted in them after their migration."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent


class Project(NamedTuple):
    """A public repository, and what is run of it."""

    name: str
    repository: str
    """Owner and name."""
    commit: str
    command: tuple[str, ...]
    ranks: int | None
    """Processes to start; None for one."""


class Mistake(NamedTuple):
    """A text that takes the place of the first one that is right."""

    project: str
    file: str
    right: str
    wrong: str
    cause: str
    """The entry of the table of causes that explains it."""
    rule: str
    """The rules that find something in the line begin with it."""
    shown_in: str
    """The file where it shows, if that is another one."""
    shown_at: str
    """A part of the line where it shows, if that is not the text itself."""

    def planted(self, text: str) -> str:
        """The text of the file with the mistake. Raises ValueError: the file does not have what is right."""
        if self.right not in text:
            raise ValueError(f"{self.file} has no {self.right!r}")
        return text.replace(self.right, self.wrong, 1)

    def line(self, text: str) -> int:
        """The number of the line where it shows.

        Args:
            text: Of the file where it shows, with the mistake.
        """
        sought = self.shown_at or self.wrong.partition("\n")[0]
        return text[: text.index(sought)].count("\n") + 1


def projects() -> dict[str, Project]:
    """All projects by their names."""
    found = (
        Project(name, repository, commit, tuple(shlex.split(command)), int(ranks) if ranks else None)
        for name, repository, commit, command, ranks in _rows("projects.tsv")
    )
    return {project.name: project for project in found}


def mistakes() -> tuple[Mistake, ...]:
    """All mistakes; in the table, ``\\n`` stands for the end of a line."""
    return tuple(Mistake(*(cell.replace("\\n", "\n") for cell in row)) for row in _rows("mistakes.tsv"))


def _rows(name: str) -> list[list[str]]:
    with (_HERE / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
