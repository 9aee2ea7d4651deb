"""What the steps of the distributed rule share: the program, where values come from, names for new text."""

from __future__ import annotations

from ...engine.context import Context
from ...model.project.project_view import ProjectView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ..origins import Origins
from ..program import Place, Program
from .alike.meeting import Meeting
from .alike.uniform import Uniform
from .ignoring import Ignoring
from .names import FileNames


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
