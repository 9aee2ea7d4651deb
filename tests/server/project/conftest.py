"""A project in a separate directory, and a migration of it into another."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.processes import spawn
from gpu2ascend.project.report.result import FileOutcome, MigrationRequest, MigrationResult
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import OPTIONS, Files, make_tree

Migrate = Callable[..., "Migrated"]


class Migrated:
    """A migration that a test ran."""

    def __init__(self, result: MigrationResult, outcomes: list[FileOutcome]) -> None:
        self.result = result
        self.summary = result.summary
        self.outcomes = {outcome.path: outcome for outcome in outcomes}

    @property
    def output(self) -> Path:
        """The migrated project."""
        assert self.result.output_path is not None
        return self.result.output_path

    def read(self, name: str) -> str:
        """A file of the output, its line ends as they are."""
        return (self.output / name).read_bytes().decode("utf-8")

    def texts(self, names: Iterable[str]) -> dict[str, str]:
        """Some files of the output by name."""
        return {name: self.read(name) for name in names}

    @property
    def log(self) -> str:
        """What was written while it ran."""
        return self.read("msFmkTranspltlog.txt")


def migrated_files(folder: Path, files: Files, **options: object) -> Migrated:
    """What becomes of a project of these files, in a folder that has none yet."""
    outcomes: list[FileOutcome] = []
    request = MigrationRequest(
        input=make_tree(folder / "project", files),
        output=folder / "out",
        options=options_from({"version": "2.8.0", **options}),
        jobs=1,
    )
    return Migrated(migrate(request, on_file=outcomes.append), outcomes)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that the test starts, also those that have ended."""
    processes: list[subprocess.Popen[bytes]] = []
    initialize = spawn.Process.__init__

    def record(
        self: spawn.Process, process: subprocess.Popen[bytes], channel: Connection, lifeline: Connection
    ) -> None:
        processes.append(process)
        initialize(self, process, channel, lifeline)

    monkeypatch.setattr(spawn.Process, "__init__", record)
    return processes


@pytest.fixture
def make(tmp_path: Path) -> Callable[[Files], Path]:
    """Make a project named ``proj``."""
    return lambda files: make_tree(tmp_path / "in" / "proj", files)


@pytest.fixture
def run(tmp_path: Path) -> Migrate:
    """Migrate a project into ``out``."""

    def call(root: Path, **changes: Any) -> Migrated:
        outcomes: list[FileOutcome] = []
        names = ("progress", "cancelled", "on_file", "on_notice", "may_delete")
        callbacks = {"on_file": outcomes.append}
        callbacks.update({name: changes.pop(name) for name in names if name in changes})
        values: dict[str, Any] = {"input": root, "output": tmp_path / "out", "options": OPTIONS, **changes}
        return Migrated(migrate(MigrationRequest(**values), **callbacks), outcomes)

    return call
