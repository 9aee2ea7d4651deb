"""What a client gets for a finished migration; docs/lsp.md describes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import attrs

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import RemainingFinding
from gpu2ascend_rules.options.spelling import camel_case
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex
from gpu2ascend_rules.text.plain.python_files import MODULE_SUFFIXES

from ....project.files.content.encoding import NotTextError, decode
from ....project.files.writing.copying import UnreadableError, read_file
from ....project.launchers.scripts import DEFAULT_SCRIPT, MSRUN_SCRIPT
from ....project.migrate.migration_process import Migrated
from ....project.paths import is_file, shown
from ....project.report.result import FileOutcome, FileStatus, MigrationRequest, MigrationResult, Summary
from ....project.report.verdict.verdict import Verdict
from ....texts.catalogue import Texts
from ....texts.shell import shell_line
from ....verify.environment.private import TORCH_INDEX
from .finding_data import JsonObject, finding_data, line_range, range_data

_REQUIREMENTS = "requirements.txt"
_PATH_NOTICES = frozenset({"project.equivalents-path", "project.modelarts-mapping"})
"""Notices that a package which was added to the project must be on the path."""
_KINDS = {".txt": "log", ".csv": "table", ".html": "page"}


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


def migration_result(
    request: MigrationRequest, migrated: Migrated, unit: ColumnUnit, language: str
) -> JsonObject:
    """The result of a migration that was completed. Reads the migrated files that have findings left."""
    result = migrated.result
    output, target = result.output_path, request.options.target
    if output is None:
        raise ValueError("nothing was written")
    release = attrs.evolve(request.options, version=result.version).release
    made_for = Message.of(
        target.text_id("report.made-for"), release=release, hardware=request.options.hardware.value
    )
    places = _Directories(request.input, output, unit, language)
    return {
        "status": "completed",
        "isComplete": result.verdict.can_be_expected_to_train,
        "verdict": _verdict(result.verdict, Texts(language, request.options.route)),
        "version": str(result.version),
        "hardware": request.options.hardware.value,
        "madeFor": render(made_for, language),
        "isSimulated": target.is_simulated,
        "inputPath": shown(request.input),
        "outputPath": shown(output),
        "summary": summary_data(result.summary),
        "reports": [
            {"name": name, "path": shown(output / name), "kind": _KINDS.get(Path(name).suffix, "file")}
            for name in result.reports
        ],
        "notices": [render(notice, language, in_form=True) for notice in result.notices],
        "steps": next_steps(result, output),
        "files": [places.file(outcome) for outcome in migrated.files if _is_reported(outcome)],
        "findings": [data for outcome in migrated.files for data in places.findings(outcome)],
    }


def _verdict(verdict: Verdict, texts: Texts) -> JsonObject:
    """What may be said of the project."""
    return {
        "state": verdict.state.value,
        "text": texts.of_usual(verdict.sentence()),
        "details": [texts.of(message) for message in verdict.details()],
    }


def summary_data(summary: Summary) -> dict[str, int]:
    """The counts by their JSON names."""
    counts: dict[str, Any] = {**attrs.asdict(summary), "left_to_you": summary.left_to_you}
    return {camel_case(name): count for name, count in counts.items()}


def _is_reported(outcome: FileOutcome) -> bool:
    return outcome.status is not FileStatus.UNCHANGED


@attrs.frozen
class _Directories:
    """Both ends of a migration, for the paths of its files."""

    root: Path
    output: Path
    unit: ColumnUnit
    language: str

    def file(self, outcome: FileOutcome) -> JsonObject:
        return {
            "path": outcome.path,
            "original": self._in(self.root, outcome),
            "migrated": self._in(self.output, outcome),
            "status": outcome.status.value,
            "edits": len(outcome.applied),
            "problem": render(outcome.problem, self.language, in_form=True)
            if outcome.problem is not None
            else None,
        }

    def findings(self, outcome: FileOutcome) -> Iterator[JsonObject]:
        """What is left in a file, and advice, with its place in the migrated text."""
        left = (*outcome.remaining, *outcome.advice)
        lines = self._lines(outcome) if left else None
        file = self._in(self.output, outcome)
        for item in left:
            first, last = item.start_line - 1, item.end_line - 1
            original = {"file": self._in(self.root, outcome), "startLine": first, "endLine": last}
            cell = item.cell.cell if item.cell is not None else None
            data = finding_data(
                item.finding, outcome.path, file, self._range(item, lines), self.language, cell, outcome.way
            )
            yield {**data, "original": original}

    def _range(self, item: RemainingFinding, lines: LineIndex | None) -> JsonObject:
        if lines is not None:
            return range_data(lines, item.finding.start, item.finding.end, self.unit)
        if item.cell is not None:
            return line_range(item.cell.line - 1, item.cell.line - 1)
        return line_range(item.start_line - 1, item.end_line - 1)

    def _lines(self, outcome: FileOutcome) -> LineIndex | None:
        """The lines of the migrated file; None where it has gone meanwhile, or its name cannot be shown."""
        if PurePosixPath(outcome.path).suffix not in ("", *MODULE_SUFFIXES):
            return None
        try:
            text = decode(read_file(self._in(self.output, outcome)).data).text
        except (UnreadableError, NotTextError):
            return None
        return LineIndex(text.encode("utf-8", "surrogatepass"))

    def _in(self, directory: Path, outcome: FileOutcome) -> str:
        return shown(directory.joinpath(*outcome.path.split("/")))
