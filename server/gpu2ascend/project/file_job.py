"""What is done with one file of a project that is migrated. Runs in a worker process or in the parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter

import attrs

from gpu2ascend_rules.apply import FixOutcome, RemainingFinding, apply_fixes
from gpu2ascend_rules.codemods.amp.change import transplant
from gpu2ascend_rules.codemods.outcome import FileChange
from gpu2ascend_rules.custom.change import custom_change, without_custom
from gpu2ascend_rules.custom.find import matched_rules
from gpu2ascend_rules.custom.model import may_concern_custom
from gpu2ascend_rules.finding import Message
from gpu2ascend_rules.limits import SECONDS_PER_FILE, TimeLimitError, time_limit
from gpu2ascend_rules.notebook.ipynb import NotebookError
from gpu2ascend_rules.options import MigrationOptions
from gpu2ascend_rules.passed_on import may_matter
from gpu2ascend_rules.project import ProjectView
from gpu2ascend_rules.restricted import set_apart
from gpu2ascend_rules.source import SourceFile
from gpu2ascend_rules.unproven import unproven_members

from .copying import Content, TooLargeError, UnreadableError, copy_file, read_file, write_file
from .diff import file_diff
from .discover import Entry, EntryKind
from .encoding import NotTextError, decode, encode
from .kernels import kernel_names
from .notebooks import BrokenEditError, NotebookFile, is_notebook, not_a_notebook
from .paths import join, shown
from .result import FileOutcome, FileStatus, Written
from .syntax import nesting_problem, syntax_problem

Transform = Callable[[SourceFile, MigrationOptions, ProjectView], FixOutcome]


@attrs.frozen(kw_only=True)
class FileJob:
    """Reads a file, makes every fix that the options ask for, and writes the file into the output."""

    root: str
    destination: str | None
    """The directory being built; None writes nothing and gives diffs."""
    options: MigrationOptions
    project: ProjectView
    transform: Transform = apply_fixes
    codemods: Mapping[str, FileChange] = {}
    """What codemods, which look at the program as a whole, make of some files, by path."""

    def __call__(self, task: Entry) -> FileOutcome:
        """Migrate one file.

        Raises:
            OutputError: the output cannot be written.
        """
        try:
            content = read_file(join(self.root, task.path), self.options.max_file_bytes)
        except TooLargeError as error:
            return self._copied(task, error.message)
        except UnreadableError as error:
            return _trouble(task, FileStatus.UNREADABLE, error.message)
        try:
            with time_limit():
                outcome, data = self._examined(task, content)
        except TimeLimitError:
            outcome, data = _trouble(task, FileStatus.FAILED, out_of_time()), content.data
        return outcome._replace(written=self._write(task, content, data))

    def _examined(self, task: Entry, content: Content) -> tuple[FileOutcome, bytes]:
        """What becomes of a file that was read, and its new content."""
        if task.kind is EntryKind.KERNELS:
            names = kernel_names(content.data.decode("utf-8", "replace"))
            return FileOutcome(shown(task.path), FileStatus.UNCHANGED, kernels=names), content.data
        if is_notebook(task.path):
            return self._migrated_notebook(task, content.data)
        return self._migrated(task, content.data)

    def give_up(self, task: Entry) -> FileOutcome:
        """Copy a file on which a worker process died each time.

        Raises:
            OutputError: the output cannot be written.
        """
        return self._copied(task, Message.of("project.worker-died"))

    def _copied(self, task: Entry, problem: Message) -> FileOutcome:
        """Copy a file that is not examined."""
        written = None
        if self.destination is not None:
            try:
                digest = copy_file(join(self.root, task.path), join(self.destination, task.path))
            except UnreadableError as error:
                return _trouble(task, FileStatus.UNREADABLE, error.message)
            written = Written(task.path, digest)
        return _trouble(task, FileStatus.FAILED, problem)._replace(written=written)

    def _migrated(self, task: Entry, data: bytes) -> tuple[FileOutcome, bytes]:
        """What becomes of a file, and its new content; in trouble the content is the given one."""
        try:
            text = decode(data)
        except NotTextError as error:
            return _trouble(task, FileStatus.UNDECODABLE, error.message), data
        source = SourceFile(text.text, task.path)
        problem = syntax_problem(source)
        if problem is not None:
            return _trouble(task, FileStatus.UNPARSABLE, problem), data
        codemod = self.codemods.get(task.path)
        if codemod is None and not self._may_matter(source):
            return FileOutcome(shown(task.path), FileStatus.UNCHANGED), data
        try:
            fixed = self._fixed(source, codemod)
            if fixed.text == source.text:
                return self._outcome(task, source, fixed), data
            new = encode(fixed.text, text, data)
        except NotTextError as error:
            return _trouble(task, FileStatus.UNDECODABLE, error.message), data
        except Exception as error:  # a defect of ours must not cost the user the other files
            return _trouble(task, FileStatus.FAILED, defect(error)), data
        if syntax_problem(SourceFile(fixed.text, task.path)) is not None:
            return _trouble(task, FileStatus.FAILED, Message.of("project.broken-edit")), data
        return self._outcome(task, source, fixed), new

    def _fixed(self, source: SourceFile, codemod: FileChange | None) -> FixOutcome:
        """The file after the user's rules, then the codemods, then the other rules."""
        own = custom_change(source, self.options, self.project) if self._has_codemods(codemod) else None
        left = source if own is None else SourceFile(own.text, source.path)
        changes = [item for item in (transplant(left, self.options), codemod) if item is not None]
        if not changes:
            return self.transform(source, self.options, self.project)
        before = [own] if own is not None else []
        return apply_fixes(source, without_custom(self.options), self.project, [*before, *changes])

    def _has_codemods(self, codemod: FileChange | None) -> bool:
        return codemod is not None or self.options.amp_transplant

    def _migrated_notebook(self, task: Entry, data: bytes) -> tuple[FileOutcome, bytes]:
        """The same for a notebook, where the cells that are no Python stay and the others are migrated."""
        try:
            text = decode(data)
            file = NotebookFile.sound(text.text, task.path)
        except NotTextError as error:
            return _trouble(task, FileStatus.UNDECODABLE, error.message), data
        except NotebookError as error:
            return _trouble(task, FileStatus.UNPARSABLE, not_a_notebook(error)), data
        if not self._may_matter(file.composite.source):
            return self._notebook_outcome(task, file, text.text, None), data
        try:
            fixed = self.transform(file.composite.source, self.options, self.project)
            new_text = file.rewritten(fixed)
            new = encode(new_text, text, data) if new_text != text.text else data
        except BrokenEditError:
            return _trouble(task, FileStatus.FAILED, Message.of("project.broken-edit")), data
        except NotTextError as error:
            return _trouble(task, FileStatus.UNDECODABLE, error.message), data
        except Exception as error:  # a defect of ours must not cost the user the other files
            return _trouble(task, FileStatus.FAILED, defect(error)), data
        outcome = self._notebook_outcome(task, file, new_text, fixed)
        return outcome, new

    def _notebook_outcome(
        self, task: Entry, file: NotebookFile, new: str, fixed: FixOutcome | None
    ) -> FileOutcome:
        path, old = shown(task.path), file.notebook.text
        remaining, restricted = _apart(file.remaining(fixed) if fixed is not None else ())
        status = FileStatus.CHANGED if new != old else FileStatus.UNCHANGED
        nested = nesting_problem(file.composite.source, self.options) if fixed is not None else None
        if file.problem is not None or nested is not None:
            status = FileStatus.FAILED if file.problem is None else FileStatus.UNPARSABLE
        return FileOutcome(
            path,
            status,
            file.applied(fixed) if fixed is not None else (),
            remaining,
            restricted,
            problem=file.problem or nested,
            diff=file_diff(path, old, new) if new != old and self.destination is None else None,
            equivalents=fixed.equivalents if fixed is not None else frozenset(),
            matched=matched_rules(file.composite.source, self.options),
        )

    def _may_matter(self, source: SourceFile) -> bool:
        is_custom = may_concern_custom(source.data, self.options.custom)
        return is_custom or may_matter(source.data, self.project)

    def _outcome(self, task: Entry, source: SourceFile, fixed: FixOutcome) -> FileOutcome:
        path = shown(task.path)
        is_changed = fixed.text != source.text
        wants_diff = is_changed and self.destination is None
        remaining, restricted = _apart(fixed.remaining)
        status = FileStatus.CHANGED if is_changed else FileStatus.UNCHANGED
        problem = nesting_problem(source, self.options)
        return FileOutcome(
            path,
            status if problem is None else FileStatus.FAILED,
            fixed.applied,
            remaining,
            restricted,
            problem,
            diff=file_diff(path, source.text, fixed.text) if wants_diff else None,
            unproven=unproven_members(source, self.options, self.project),
            equivalents=fixed.equivalents,
            matched=matched_rules(source, self.options),
        )

    def _write(self, task: Entry, content: Content, data: bytes) -> Written | None:
        if self.destination is None:
            return None
        is_new = data is not content.data
        digest = write_file(join(self.destination, task.path), data, content.stamp, new=is_new)
        return Written(task.path, digest)


def _apart(items: Iterable[RemainingFinding]) -> tuple[tuple[RemainingFinding, ...], ...]:
    """What is left to a person, and the restrictions, which have a report of their own."""
    return set_apart(items, attrgetter("finding"))


def _trouble(task: Entry, status: FileStatus, problem: Message) -> FileOutcome:
    return FileOutcome(shown(task.path), status, problem=problem)


LIMITS = frozenset({"project.too-large", "project.time-limit", "project.nested"})
"""The messages of files that were not examined, or not as a whole, for what it would cost."""


def out_of_time() -> Message:
    """What to report of a file that took too long."""
    return Message.of("project.time-limit", seconds=int(SECONDS_PER_FILE))


def defect(error: Exception) -> Message:
    """What to tell about an exception that should not have been."""
    detail = f"{type(error).__name__}: {error}"
    return Message.of("project.defect", detail=shown(detail[:500]))
