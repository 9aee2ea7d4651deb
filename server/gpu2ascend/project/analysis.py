"""All findings of a project, in a process of its own: for an editor that shows them as a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.engine import check
from gpu2ascend_rules.finding import Finding, Message
from gpu2ascend_rules.limits import TimeLimitError, time_limit
from gpu2ascend_rules.lines import ColumnUnit, Position
from gpu2ascend_rules.options import MigrationOptions
from gpu2ascend_rules.source import SourceFile

from .apart import ProcessApart, Reporter
from .check import CheckedFile, check_paths
from .discover import EntryKind, walk
from .errors import InputError, reason
from .excludes import Excludes
from .file_job import out_of_time
from .notebooks import NotebookFile
from .paths import shown
from .places import input_directory
from .syntax import nesting_problem
from .view import ProjectFiles


class Place(NamedTuple):
    """A range of a text, in the columns that were asked for."""

    start: Position
    end: Position
    cell: int | None = None
    """Of a notebook: the cell, counted from 1 among all, whose text it is."""


class AnalysedFile(NamedTuple):
    """A file and what was found in it, as plain data."""

    path: str
    """Relative to the project, with ``/``."""
    done: int
    """Files so far, with this one."""
    total: int
    findings: tuple[tuple[Finding, Place], ...]
    problem: Message | None


@attrs.frozen(kw_only=True)
class AnalysisRequest:
    """A project to look at."""

    root: Path
    options: MigrationOptions
    texts: Mapping[str, str] = attrs.field(factory=dict)
    """Texts that count in place of what the files hold, by path relative to the root."""
    unit: ColumnUnit = ColumnUnit.UTF16
    jobs: int = 0


class AnalysisProcess:
    """One analysis. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, request: AnalysisRequest) -> None:
        self._process = ProcessApart(_Analysis(request))

    def run(self, on_file: Callable[[AnalysedFile], None]) -> int:
        """Start the process and wait for it; ``on_file`` gets every file, in this thread.

        Returns:
            The number of files.

        Raises:
            ProjectError: the folder cannot be read, or the analysis was cancelled.
        """
        return self._process.run(on_file)

    def cancel(self) -> None:
        """End it."""
        self._process.cancel()


@attrs.frozen
class _Analysis:
    """What the process does."""

    request: AnalysisRequest

    def __call__(self, reporter: Reporter) -> int:
        request = self.request
        root = input_directory(request.root)
        total = _count(root, Excludes(request.options.exclude))
        done = 0
        options = attrs.evolve(request.options, unknown_apis=True)  # what a migration reports
        with closing(check_paths([root], options, proves=True, jobs=request.jobs)) as files:
            for done, file in enumerate(files, 1):
                path = file.path.relative_to(root).as_posix()
                reporter.send(self._analysed(file, root, path)._replace(done=done, total=max(done, total)))
        return done

    def died(self) -> Message:
        return Message.of("project.analysis-died", path=shown(self.request.root))

    def _analysed(self, file: CheckedFile, root: Path, path: str) -> AnalysedFile:
        source, findings, problem, notebook = file.source, file.findings, file.problem, file.notebook
        text = self.request.texts.get(path)
        if text is not None:
            source = SourceFile(text, path)
            findings, problem = self._checked(source, root)
        placed = (
            tuple((finding, self._place(source, finding, notebook)) for finding in findings) if source else ()
        )
        return AnalysedFile(shown(path), 0, 0, placed, problem)

    def _checked(self, source: SourceFile, root: Path) -> tuple[tuple[Finding, ...], Message | None]:
        """What is found in a text that counts in place of a file."""
        options = self.request.options
        try:
            with time_limit():
                findings = check(source, options, ProjectFiles(root, max_bytes=options.max_file_bytes))
                return findings, nesting_problem(source, options)
        except TimeLimitError:
            return (), out_of_time()

    def _place(self, source: SourceFile, finding: Finding, notebook: NotebookFile | None) -> Place:
        lines, unit = source.lines, self.request.unit
        place = Place(lines.position(finding.start, unit), lines.position(finding.end, unit))
        return place if notebook is None else _in_cell(place, notebook)


def _in_cell(place: Place, notebook: NotebookFile) -> Place:
    """A place in the composite of a notebook's cells as one in its cell."""
    first, _ = notebook.file_line(place.start.line + 1)
    last, _ = notebook.file_line(place.end.line + 1)
    if first is None or last is None:
        return place
    start = place.start._replace(line=first.line - 1)
    return Place(start, place.end._replace(line=last.line - 1), first.cell)


def _count(root: Path, excludes: Excludes) -> int:
    try:
        return sum(1 for entry in walk(root, excludes) if entry.kind is EntryKind.PYTHON)
    except OSError as error:
        raise InputError(
            Message.of("project.input-unreadable", path=shown(root), reason=reason(error))
        ) from error
