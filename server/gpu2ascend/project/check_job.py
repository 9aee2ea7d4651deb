"""What is done with one file that is checked, or fixed where it is. Runs in a worker or in the parent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.apply import AppliedFix, apply_fixes
from gpu2ascend_rules.custom.find import matched_rules
from gpu2ascend_rules.custom.model import may_concern_custom
from gpu2ascend_rules.engine import check
from gpu2ascend_rules.finding import Finding, Message
from gpu2ascend_rules.limits import TimeLimitError, time_limit
from gpu2ascend_rules.notebook.ipynb import NotebookError
from gpu2ascend_rules.options import MigrationOptions
from gpu2ascend_rules.passed_on import may_matter
from gpu2ascend_rules.project import ProjectView
from gpu2ascend_rules.source import SourceFile
from gpu2ascend_rules.unproven import Unproven, unproven_members

from .copying import UnreadableError, read_file, replace_file
from .encoding import NotTextError, SourceText, decode, encode
from .errors import ProjectError
from .file_job import defect, out_of_time
from .notebooks import examine, is_notebook, not_a_notebook
from .paths import join
from .syntax import nesting_problem, syntax_problem


class CheckTask(NamedTuple):
    """A file, as part of a project."""

    root: str
    path: str
    """Relative to the root, with ``/``."""
    shown: str
    """As reached from the path that the user gave."""


class CheckAnswer(NamedTuple):
    """What was found, as plain data."""

    task: CheckTask
    text: str | None = None
    findings: tuple[Finding, ...] = ()
    applied: tuple[AppliedFix, ...] = ()
    problem: Message | None = None
    equivalents: frozenset[str] = frozenset()
    """The parts of the package of equivalents that the file uses now."""
    unproven: tuple[Unproven, ...] = ()
    matched: frozenset[int] = frozenset()
    """The user's own rules, by index, that match something in it."""


@attrs.frozen(kw_only=True)
class CheckJob:
    """Checks a file; with ``fix``, applies the fixes that the options allow and checks what is left."""

    options: MigrationOptions
    projects: Mapping[str, ProjectView]
    """The view of each task's root."""
    fix: bool
    proves: bool = False
    """Whether to give the members that the file leaves unproven, too."""

    def __call__(self, task: CheckTask) -> CheckAnswer:
        """Check or fix one file; trouble is part of the answer."""
        try:
            data = read_file(join(task.root, task.path), self.options.max_file_bytes).data
            text = decode(data)
        except (UnreadableError, NotTextError) as error:
            return CheckAnswer(task, problem=error.message)
        try:
            with time_limit():
                return self._examined(task, text, data)
        except TimeLimitError:
            return CheckAnswer(task, text.text, problem=out_of_time())

    def _examined(self, task: CheckTask, text: SourceText, data: bytes) -> CheckAnswer:
        if is_notebook(task.path):
            return self._checked_notebook(task, text, data)
        source = SourceFile(text.text, task.path)
        is_custom = may_concern_custom(source.data, self.options.custom)
        if not (is_custom or may_matter(source.data, self.projects[task.root])):
            return CheckAnswer(task, text.text)
        try:
            matched = matched_rules(source, self.options)
            return self._checked(task, source, text, data)._replace(matched=matched)
        except Exception as error:  # a defect of ours must not cost the user the other files
            return CheckAnswer(task, text.text, problem=defect(error))

    def give_up(self, task: CheckTask) -> CheckAnswer:
        """The answer for a file on which a worker process died each time."""
        return CheckAnswer(task, problem=Message.of("project.worker-died"))

    def _checked(self, task: CheckTask, source: SourceFile, text: SourceText, data: bytes) -> CheckAnswer:
        project = self.projects[task.root]
        # The tree tells cheaply that a file may be wrong; it takes ast and LibCST to say that it is.
        problem = syntax_problem(source) if self.fix or source.has_syntax_error else None
        nested = nesting_problem(source, self.options)
        if not self.fix or problem is not None:
            findings = check(source, self.options, project)
            members = unproven_members(source, self.options, project) if self.proves else ()
            return CheckAnswer(task, source.text, findings, problem=problem or nested, unproven=members)
        fixed = apply_fixes(source, self.options, project)
        if fixed.text != source.text:
            problem = Message.of("project.broken-edit")
            if syntax_problem(SourceFile(fixed.text, task.path)) is None:
                problem = _write(task, fixed.text, text, data)
        if problem is not None:
            return CheckAnswer(task, source.text, check(source, self.options, project), problem=problem)
        findings = tuple(item.finding for item in fixed.remaining)
        return CheckAnswer(task, fixed.text, findings, fixed.applied, nested, equivalents=fixed.equivalents)

    def _checked_notebook(self, task: CheckTask, text: SourceText, data: bytes) -> CheckAnswer:
        project = self.projects[task.root]
        try:
            done = examine(text.text, task.path, self.options, project, fix=self.fix)
            if done.text != text.text:
                problem = _write(task, done.text, text, data)
                if problem is not None:
                    done = examine(text.text, task.path, self.options, project, fix=False)
                    done = done._replace(problem=problem)
            return CheckAnswer(task, *done)
        except NotebookError as error:
            return CheckAnswer(task, problem=not_a_notebook(error))
        except Exception as error:  # a defect of ours must not cost the user the other files
            return CheckAnswer(task, problem=defect(error))


def _write(task: CheckTask, new: str, text: SourceText, data: bytes) -> Message | None:
    """Write the file anew; gives why it was not, and the file is then as it was."""
    try:
        replace_file(Path(join(task.root, task.path)), encode(new, text, data))
    except (NotTextError, ProjectError) as error:
        return error.message
    return None
