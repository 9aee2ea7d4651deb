"""The public projects that are verified: what is run of them, and what has to come of it."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).with_name("projects.tsv")


class Project(NamedTuple):
    """A public repository, or a folder of one, as the table has it."""

    name: str
    repository: str
    """Owner and name."""
    commit: str
    folder: str
    """What is migrated of it; nothing for all."""
    command: str
    options: str
    """Of ``verify``, beside the command."""
    prepare: str
    """What a shell runs in the sources before."""
    packages: str
    """What it needs beside torch."""
    expected: str
    """Whose fault it is that it does not train; nothing where it does."""

    @property
    def title(self) -> str:
        """As the table names it."""
        return f"{self.repository}, {self.folder}" if self.folder else self.repository

    @property
    def words(self) -> tuple[str, ...]:
        """The command."""
        return tuple(shlex.split(self.command))

    @property
    def ranks(self) -> int | None:
        """Processes to start; None for one, or what a launcher starts."""
        return int(self._given("--nproc")) if "--nproc" in self.options else None

    @property
    def steps(self) -> int:
        """Steps that are asked for."""
        return int(self._given("--steps")) if "--steps" in self.options else 3

    @property
    def fakes_data(self) -> bool:
        """Whether samples are made up."""
        return "--data fake" in self.options

    def _given(self, option: str) -> str:
        words = self.options.split()
        return words[words.index(option) + 1]


def projects() -> tuple[Project, ...]:
    """All projects of the table."""
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(Project(**row) for row in rows)


def changes(project: Project) -> str:
    """What is not as the project has it."""
    made = [f"`{text}`" for text in (project.options, project.prepare) if text]
    return ", ".join(made) or "none"
