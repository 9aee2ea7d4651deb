"""The commands that a migrated project still needs, as data of its result; docs/lsp.md describes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....project.launchers.scripts import DEFAULT_SCRIPT, MSRUN_SCRIPT
from ....project.paths import is_file
from ....project.report.result import MigrationResult
from ....texts.shell import shell_line
from .finding_data import JsonObject

_REQUIREMENTS = "requirements.txt"
_PATH_NOTICES = frozenset({"project.equivalents-path", "project.modelarts-mapping"})
"""Notices that a package which was added must be on the path, with the path as the shell takes it."""


def next_steps(result: MigrationResult, output: Path) -> list[JsonObject]:
    """Each step with the command for it, in the order in which they are made."""
    return [{"id": name, "command": command} for name, command in _commands(result, output)]


def _commands(result: MigrationResult, output: Path) -> Iterator[tuple[str, str]]:
    if result.environment is not None:
        yield "environment", shell_line("source", output / result.environment)
    if is_file(output / _REQUIREMENTS):
        yield "install", shell_line("pip", "install", "-r", output / _REQUIREMENTS)
    for script in (DEFAULT_SCRIPT, MSRUN_SCRIPT):
        if is_file(output / script):
            yield "launch", shell_line("bash", output / script)
    for path in dict.fromkeys(_paths(result)):
        yield "pythonPath", f"export PYTHONPATH={path}:$PYTHONPATH"


def _paths(result: MigrationResult) -> Iterator[str]:
    for notice in result.notices:
        if notice.id in _PATH_NOTICES:
            yield from (str(value) for name, value in notice.arguments if name == "path")
