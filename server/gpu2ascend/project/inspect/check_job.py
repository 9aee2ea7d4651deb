"""What is done with one file that is checked, or fixed where it is. Runs in a worker or in the parent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions

from ..errors import KeptError, ProjectError
from ..examination import Examination
from ..examine import Request, examine, recheck
from ..files.writing.copying import UnreadableError, read_file
from ..files.writing.replacing import replace_file
from ..fixing import FixesAtLines
from ..paths import join
from ..report.result import FileStatus


class CheckTask(NamedTuple):
    """A file, as part of a project."""

    root: str
    path: str
    """Relative to the root, with ``/``."""
    shown: str
    """As reached from the path that the user gave."""
    problem: Message | None = None
    """Why it is not examined, if that is known already."""


@attrs.frozen(kw_only=True)
class CheckJob:
    """Checks a file; with ``fix``, applies the fixes that the options allow and checks what is left."""

    options: MigrationOptions
    projects: Mapping[str, ProjectView]
    """The view of each task's root."""
    fix: bool
    read_only: bool = False
    """With ``fix``: whether to change files that are write-protected, too."""
    previews: bool = False
    """With ``fix``: to write nothing, and to keep the text before the fixes."""
    lines: range | None = None
    """With ``fix``: the lines, from 1, on which findings begin whose fixes are made; None for all."""
    proves: bool = False
    """Whether to give the members that the file leaves unresolved, too."""
    texts: Mapping[str, str] = {}
    """Texts that count in place of what files hold, by path relative to the only root."""

    @property
    def writes(self) -> bool:
        """Whether files are changed."""
        return self.fix and not self.previews

    def __call__(self, task: CheckTask) -> Examination:
        """Check or fix one file; trouble is part of the result."""
        done = self._examined(task)
        return attrs.evolve(done, data=None, before=done.before if self.previews else None)

    def give_up(self, task: CheckTask) -> Examination:
        """The result for a file on which a worker process died each time."""
        problem = Message.of("project.worker-died")
        return Examination(path=task.path, status=FileStatus.FAILED, problem=problem)

    def _examined(self, task: CheckTask) -> Examination:
        if task.problem is not None:
            return Examination(path=task.path, status=FileStatus.FAILED, problem=task.problem)
        content: bytes | str | None = self.texts.get(task.path)
        if content is None:
            try:
                content = read_file(join(task.root, task.path), self.options.max_file_bytes).data
            except UnreadableError as error:
                return Examination(path=task.path, status=FileStatus.UNREADABLE, problem=error.message)
        request = Request(
            options=self.options,
            fix=self.fix,
            resolves=self.proves and not self.fix,
            counts_silenced=True,
            transform=apply_fixes if self.lines is None else FixesAtLines(self.lines),
        )
        project = self.projects[task.root]
        done = examine(task.path, content, request, project)
        if done.data is not None and isinstance(content, bytes) and not self.previews:
            try:
                done = attrs.evolve(done, lost=self._write(task, content, done.data))
            except ProjectError as error:
                unfixed = examine(task.path, content, attrs.evolve(request, fix=False), project)
                if isinstance(error, KeptError):
                    return attrs.evolve(unfixed, kept=error.message)
                return attrs.evolve(unfixed, problem=error.message)
        return recheck(done, request, project) if self.fix else done

    def _write(self, task: CheckTask, old: bytes, new: bytes) -> Message | None:
        """Write the file anew; gives what of it beside its content could not be kept.

        Raises:
            KeptError: it was left to whoever changed or protected it.
            ProjectError: it could not be written; it is as it was.
        """
        path = Path(join(task.root, task.path))
        lost = replace_file(path, old, new, read_only=self.read_only)
        return Message.of("project.not-kept", names=", ".join(lost)) if lost else None
