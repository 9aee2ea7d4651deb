"""The project around one text that is fixed by itself, such as what standard input holds."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView
from gpu2ascend_rules.options.options import MigrationOptions

from ..files.content.encoding import NotTextError, decode
from ..files.editable import Editable
from ..files.excludes import Excludes
from ..index.sources.directories import marked_directory
from ..index.survey import survey_project
from ..index.view import ProjectFiles
from ..processes.workers import never


class Placed(NamedTuple):
    """A text in its project."""

    path: str
    """Relative to the project's directory, with ``/``; of a text that is in no project its given name."""
    project: ProjectView


def placed_alone(name: str, data: bytes, options: MigrationOptions) -> Placed:
    """A text in the project of the file whose name it has, where nothing else may be edited.

    So no fix of it makes a part of what must change in several files.
    """
    file = Path(name).absolute()
    root = marked_directory(file) if name else None
    try:
        text = decode(data).text
    except NotTextError:
        root = None
    if root is None:
        return Placed(name, STANDALONE)
    path = file.relative_to(root).as_posix()
    excludes, limit = Excludes(options.exclude, options.copy), options.max_file_bytes
    try:
        survey = survey_project(root, excludes, lambda done, path: None, never, limit)
    except OSError:
        return Placed(name, STANDALONE)
    project = ProjectFiles(
        root,
        survey.facts,
        {path: text},
        is_complete=survey.is_complete,
        max_bytes=limit,
        editable=Editable(excludes, frozenset({path})),
    )
    return Placed(path, project)
