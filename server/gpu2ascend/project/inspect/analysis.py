"""All findings of a project, in a separate process: for an editor that shows them as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.text.lines import ColumnUnit

from ..errors import InputError, reason
from ..files.discover import EXAMINED, walk
from ..files.excludes import Excludes
from ..files.places import input_directory
from ..paths import shown
from ..processes.cancellable import FolderWork, Reporter
from .check import check_paths
from .modes import in_modes
from .placed import PlacedFile, placed_findings


@attrs.frozen(kw_only=True)
class Analysis(FolderWork):
    """The work: each file is reported as a :class:`PlacedFile`; the result is the number of files."""

    texts: Mapping[str, str] = attrs.field(factory=dict)
    """Texts that count in place of what the files hold, by path relative to the root."""
    only: frozenset[str] = frozenset()
    """Files and directories below the root, with ``/``; the others are not examined."""
    unit: ColumnUnit = ColumnUnit.UTF16
    jobs: int = 0

    def __call__(self, reporter: Reporter) -> int:
        root, options = input_directory(self.root), self.options
        total = _count(root, Excludes(options.exclude, options.copy))
        done = 0
        found = check_paths([root], options, proves=True, jobs=self.jobs, texts=self.texts, only=self.only)
        with closing(found) as files:
            for done, file in enumerate(files, 1):
                path = shown(Path(file.path).relative_to(root).as_posix())
                wanted = attrs.evolve(file, findings=in_modes(file, options))
                findings = placed_findings(wanted, self.unit)
                reporter.send(
                    PlacedFile(
                        path, findings, problem=file.problem, way=file.way, done=done, total=max(done, total)
                    )
                )
        return done


def _count(root: Path, excludes: Excludes) -> int:
    try:
        return sum(1 for entry in walk(root, excludes) if entry.kind in EXAMINED)
    except OSError as error:
        raise InputError(
            Message.of("project.input-unreadable", path=shown(root), reason=reason(error))
        ) from error
