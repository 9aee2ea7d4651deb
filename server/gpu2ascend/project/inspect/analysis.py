"""All findings of a project, in a separate process: for an editor that shows them as a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit

from ..errors import InputError, reason
from ..files.discover import EXAMINED, walk
from ..files.excludes import Excludes
from ..files.places import input_directory
from ..paths import shown
from ..processes.cancellable import CancellableProcess, Reporter
from .check import check_paths
from .modes import in_modes
from .placed import PlacedFile, placed_findings


@attrs.frozen(kw_only=True)
class AnalysisRequest:
    """A project to look at."""

    root: Path
    options: MigrationOptions
    texts: Mapping[str, str] = attrs.field(factory=dict)
    """Texts that count in place of what the files hold, by path relative to the root."""
    only: frozenset[str] = frozenset()
    """Files and directories below the root, with ``/``; the others are not examined."""
    unit: ColumnUnit = ColumnUnit.UTF16
    jobs: int = 0


class AnalysisProcess:
    """One analysis. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, request: AnalysisRequest) -> None:
        self._process = CancellableProcess(_AnalysisJob(request))

    def run(self, on_file: Callable[[PlacedFile], None]) -> int:
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
class _AnalysisJob:
    """What the process does."""

    request: AnalysisRequest

    def __call__(self, reporter: Reporter) -> int:
        request = self.request
        root = input_directory(request.root)
        total = _count(root, Excludes(request.options.exclude, request.options.copy))
        done = 0
        options = request.options
        found = check_paths(
            [root], options, proves=True, jobs=request.jobs, texts=request.texts, only=request.only
        )
        with closing(found) as files:
            for done, file in enumerate(files, 1):
                path = shown(Path(file.path).relative_to(root).as_posix())
                wanted = attrs.evolve(file, findings=in_modes(file, options))
                findings = placed_findings(wanted, request.unit)
                counts = (done, max(done, total))
                reporter.send(
                    PlacedFile(
                        path, findings, problem=file.problem, way=file.way, done=counts[0], total=counts[1]
                    )
                )
        return done

    def died(self) -> Message:
        return Message.of("project.analysis-died", path=shown(self.request.root))


def _count(root: Path, excludes: Excludes) -> int:
    try:
        return sum(1 for entry in walk(root, excludes) if entry.kind in EXAMINED)
    except OSError as error:
        raise InputError(
            Message.of("project.input-unreadable", path=shown(root), reason=reason(error))
        ) from error
