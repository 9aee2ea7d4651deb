"""What a preview has found so far."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message, Requirement

from ...project.inspect.placed import PlacedFile
from ...project.paths import shown
from ..edits.workspace_edits import EditedFile
from .results.finding_data import JsonObject


class Needs(NamedTuple):
    """What the edits of a document need beside them, if they are made."""

    folder: Path
    requires: frozenset[Requirement]
    equivalents: frozenset[str]


class FoundEdits(NamedTuple):
    """The files to change, and the parts of the package of equivalents that each project needs for it."""

    files: list[EditedFile]
    equivalents: dict[Path, frozenset[str]]
    left_out: list[Path]
    """Notebooks that are not open."""
    problems: list[tuple[Path, Message]]
    """Files that were not examined, or not as a whole."""
    needs: dict[str, Needs]
    """By the URI of the document."""

    @classmethod
    def none(cls) -> FoundEdits:
        """Nothing yet."""
        return cls([], {}, [], [], {})

    def add(self, file: EditedFile, folder: Path, found: PlacedFile) -> None:
        """A file, if anything is to change in it."""
        if file.edits:
            self.files.append(file)
            self.needs[file.uri] = Needs(folder, found.requires, found.equivalents)
        if found.equivalents:
            self.equivalents[folder] = self.equivalents.get(folder, frozenset()) | found.equivalents

    def problems_for_people(self, language: str) -> list[JsonObject]:
        """Why files were not examined, for a result."""
        return [
            {"file": shown(path), "message": render(problem, language, in_form=True)}
            for path, problem in self.problems
        ]
