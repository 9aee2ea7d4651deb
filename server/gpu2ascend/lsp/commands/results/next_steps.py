"""The commands that a migrated project still needs, as data of its result; docs/lsp.md describes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....project.launchers.scripts import DEFAULT_SCRIPT, MSRUN_SCRIPT
from ....project.paths import is_file
from ....project.report.result import MigrationResult
from ....texts.shell import shell_line
from ....verify.environment.private import TORCH_INDEX
from .finding_data import JsonObject

_REQUIREMENTS = "requirements.txt"
_PATH_NOTICES = frozenset({"project.equivalents-path", "project.modelarts-mapping"})
"""Notices that a package which was added to the project must be on the path."""


def next_steps(result: MigrationResult, output: Path) -> list[JsonObject]:
    """Each step with the command for it, in the order in which they are made.

    Their paths are relative to the project: it may lie elsewhere on the machine with the NPU.
    """
    return [{"id": name, "command": command} for name, command in _commands(result, output)]


def _commands(result: MigrationResult, output: Path) -> Iterator[tuple[str, str]]:
    if result.environment is not None:
        yield "environment", shell_line("source", f"./{result.environment}")
    if is_file(output / _REQUIREMENTS):
        # The index of CPU builds: torch_npu needs none of CUDA, which PyPI's torch brings.
        yield "install", shell_line("pip", "install", "--extra-index-url", TORCH_INDEX, "-r", _REQUIREMENTS)
    for script in (DEFAULT_SCRIPT, MSRUN_SCRIPT):
        if is_file(output / script):
            yield "launch", shell_line("bash", script)
    if any(notice.id in _PATH_NOTICES for notice in result.notices):
        yield "pythonPath", 'export PYTHONPATH="$PWD:$PYTHONPATH"'
