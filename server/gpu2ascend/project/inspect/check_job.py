"""What is done with one file that is checked, or fixed where it is. Runs in a worker or in the parent.

Fixes are written when all files are examined: what an option of a program becomes is read from the program's
file, for the script that starts it, too.
"""

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
from ..fixing import Transform
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


class Examined(NamedTuple):
    """A file that was examined, and the fixes to write."""

    file: Examination
    old: bytes = b""
    """What was read of it."""
    new: bytes | None = None


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
    proves: bool = False
    """Whether to give the members that the file leaves unresolved, too."""
    texts: Mapping[str, str] = {}
    """Texts that count in place of what files hold, by path relative to the only root."""
    transform: Transform = apply_fixes
    """With ``fix``: what is made of a file."""

    @property
    def writes(self) -> bool:
        """Whether files are changed."""
        return self.fix and not self.previews

    def __call__(self, task: CheckTask) -> Examined:
        """Check one file, or make its fixes, which are not written yet; trouble is part of the result."""
        if task.problem is not None:
            failed = Examination(path=task.path, status=FileStatus.FAILED, problem=task.problem)
            return Examined(failed)
        content: bytes | str | None = self.texts.get(task.path)
        if content is None:
            try:
                content = read_file(join(task.root, task.path), self.options.max_file_bytes).data
            except UnreadableError as error:
                unread = Examination(path=task.path, status=FileStatus.UNREADABLE, problem=error.message)
                return Examined(unread)
        project, request = self.projects[task.root], self._request
        done = examine(task.path, content, request, project)
        new = done.data if self.writes and isinstance(content, bytes) else None
        done = recheck(done, request, project) if self.fix else done
        done = attrs.evolve(done, data=None, before=done.before if self.previews else None)
        return Examined(done) if new is None or isinstance(content, str) else Examined(done, content, new)

    def give_up(self, task: CheckTask) -> Examined:
        """The result for a file on which a worker process died each time."""
        problem = Message.of("project.worker-died")
        return Examined(Examination(path=task.path, status=FileStatus.FAILED, problem=problem))

    def written(self, task: CheckTask, made: Examined) -> Examination:
        """The result for a file once its fixes are written; where they cannot be, as it is without them."""
        if made.new is None:
            return made.file
        try:
            return attrs.evolve(made.file, lost=self._write(task, made.old, made.new))
        except ProjectError as error:
            request = attrs.evolve(self._request, fix=False)
            unfixed = examine(task.path, made.old, request, self.projects[task.root])
            if isinstance(error, KeptError):
                return attrs.evolve(unfixed, kept=error.message)
            return attrs.evolve(unfixed, problem=error.message)

    @property
    def _request(self) -> Request:
        return Request(
            options=self.options,
            fix=self.fix,
            resolves=self.proves and not self.fix,
            counts_silenced=True,
            transform=self.transform,
        )

    def _write(self, task: CheckTask, old: bytes, new: bytes) -> Message | None:
        """Write the file anew; gives what of it beside its content could not be kept.

        Raises:
            KeptError: it was left to whoever changed or protected it.
            ProjectError: it could not be written; it is as it was.
        """
        path = Path(join(task.root, task.path))
        lost = replace_file(path, old, new, read_only=self.read_only)
        return Message.of("project.not-kept", names=", ".join(lost)) if lost else None
