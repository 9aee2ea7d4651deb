"""The project around one text that is fixed by itself, such as what standard input holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from ..files.content.encoding import NotTextError, decode
from ..files.excludes import Editable, Excludes
from ..index.facts.facts import ProjectFacts
from ..index.facts.file_facts import facts_of_text
from ..index.sources.directories import marked_directory
from ..index.survey import survey_project
from ..index.view import ProjectFiles
from ..processes.workers import never

_NAME = "text.py"
_NOWHERE = Path(os.devnull) / "alone"
"""A directory that cannot exist, so that nothing but the text is read."""


class Placed(NamedTuple):
    """A text in its project."""

    path: str
    """Relative to the project's directory, with ``/``; of a text that is in no project its given name."""
    project: ProjectView


def placed_alone(name: str, data: bytes, options: MigrationOptions) -> Placed:
    """A text in the project of the file whose name it has, where nothing else may be edited.

    So no fix of it makes a part of what must change in several files.
    """
    try:
        text = decode(data).text
    except NotTextError:
        return Placed(name, STANDALONE)
    file = Path(name).absolute()
    root = marked_directory(file) if name else None
    if root is None:
        alone = Path(name).name or _NAME
        return Placed(alone, program_of(alone, text))
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


def program_of(path: str, text: str) -> ProjectFiles:
    """The program that a text is which is in no project.

    Args:
        path: Its name, which may be empty.
    """
    facts = {path: facts_of_text(path or _NAME, text)}
    return ProjectFiles(_NOWHERE, ProjectFacts.of(()), {path: text}, overlay=facts, has_settings=False)


def program_of_source(source: SourceFile) -> ProjectFiles:
    """The :func:`program_of` a text that is parsed once for it and for who examines it."""
    project = program_of(source.path, source.text)
    project.take(source)
    return project
