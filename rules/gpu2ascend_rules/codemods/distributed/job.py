"""What the steps of the distributed rule share: the program, where values come from, names for new text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...engine.context import Context
from ...engine.dispatch import is_chosen
from ...engine.rule import Rule
from ...engine.suppressions import Suppressions
from ...model.finding import Message, Severity
from ...model.project.project_view import ProjectView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ..change import Change, reported_only
from ..origins import Origins
from ..outcome import finding_of
from ..program import Place, Program
from .alike.meeting import Meeting
from .alike.uniform import Uniform
from .names import FileNames
from .on_request import CAN_BE_LEFT_OUT, STEPS

_KEPT = "NPU420"


class Ignoring:
    """What the options and the comments of a program silence."""

    def __init__(self, entry: SourceFile, options: MigrationOptions) -> None:
        self._entry = entry
        self._with_file = options.project_settings
        self._steps = {step.code: step for step in STEPS}
        self._off = {code for code, step in self._steps.items() if not _is_wanted(step, options)}
        self._reported: set[str] = set()
        self._comments: dict[str, Suppressions] = {}

    def honoured(self, changes: Iterable[Change]) -> Iterator[Change]:
        """The changes without those that are left out, and the reports on those that cannot be."""
        for change in changes:
            if change.code in self._off:
                yield from self._by_option(change)
            elif self._is_silenced(change, change.decided_at or change.place):
                yield from self._by_comment(change, can_go=change.can_go)
            elif change.decided_at is not None and self._is_silenced(change, change.place):
                yield from self._by_comment(change, can_go=False)
            else:
                yield change

    def _by_option(self, change: Change) -> Iterator[Change]:
        """All of a step goes, or nothing of it."""
        if not change.operations or change.code in CAN_BE_LEFT_OUT:
            return
        yield change
        if change.code not in self._reported:
            self._reported.add(change.code)
            whole = Place(self._entry, self._entry.root)
            yield _kept(change, whole, "kept")

    def _by_comment(self, change: Change, *, can_go: bool) -> Iterator[Change]:
        if not change.operations or (can_go and change.code in CAN_BE_LEFT_OUT):
            return
        yield change
        yield _kept(change, change.place, "kept_here")

    def _is_silenced(self, change: Change, place: Place) -> bool:
        if place.file.path not in self._comments:
            self._comments[place.file.path] = Suppressions(place.file, with_file=self._with_file)
        return not self._comments[place.file.path].keep([finding_of(change._replace(place=place))])


def _is_wanted(step: Rule, options: MigrationOptions) -> bool:
    return is_chosen(step, (), options.ignore)


def _kept(change: Change, place: Place, key: str) -> Change:
    title = Message.of(f"{change.code}.title")
    return reported_only(_KEPT, key, place, Severity.WARNING, step=change.code, title=title)


class Job:
    """One program that is to run in several processes."""

    def __init__(self, entry: SourceFile, options: MigrationOptions, project: ProjectView) -> None:
        self.options = options
        self.program = Program(entry, project)
        self.origins = Origins(self.program)
        self.uniform = Uniform(self.program, self.origins)
        self.meeting = Meeting(self.program, self.uniform)
        self.ignoring = Ignoring(entry, options)
        self.steps: list[Place] = []
        """The calls that train, and those that lead to them, once they have been looked for."""
        self._project = project
        self._contexts: dict[str, Context] = {}
        self._names: dict[str, FileNames] = {}

    def context(self, file: SourceFile) -> Context:
        """The rules' view of a file."""
        if file.path not in self._contexts:
            self._contexts[file.path] = Context(file, self.options, self._project)
        return self._contexts[file.path]

    def names(self, place: Place | SourceFile) -> FileNames:
        """The names for new text in a file."""
        file = place.file if isinstance(place, Place) else place
        if file.path not in self._names:
            self._names[file.path] = FileNames(file, self.context(file))
        return self._names[file.path]
