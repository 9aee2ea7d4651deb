"""Which project a document belongs to, and what the rules may ask about that project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView

from ....project.files.discover import PYTHON_SUFFIXES
from ....project.index.sources.directories import project_directory
from ....project.index.view import ProjectFiles
from ....project.inspect.one_text import program_of_source
from ...conversion.uris import document_key, path_of
from ..documents import DocumentStore
from ..settings import Settings
from .open_project import OpenProject


class ProjectPath(NamedTuple):
    """Where a document is in a project."""

    project: OpenProject
    path: str
    """Relative to the project's directory, with ``/``."""

    @property
    def is_indexed(self) -> bool:
        """Whether its name makes it a Python file or notebook of the project."""
        return self.path.lower().endswith(PYTHON_SUFFIXES)


class Projects:
    """The projects that documents are open of: the folders of the workspace, and those of files elsewhere.

    It also names the documents: a document's path is the one within its project.
    """

    def __init__(self, settings: Settings, documents: DocumentStore) -> None:
        self.on_new: Callable[[OpenProject], None] = lambda project: None
        """Is given each project that was not known before, whose files nobody has read."""
        self._settings = settings
        self._documents = documents
        self._projects: dict[Path, OpenProject] = {}
        self._places: dict[str, ProjectPath | None] = {}
        documents.name_of = self.name_of

    def __iter__(self) -> Iterator[OpenProject]:
        """All of them."""
        return iter(tuple(self._projects.values()))

    def view(self, uri: str) -> tuple[str, ProjectView]:
        """How a document is named in its project, and the project.

        The view is the same object as long as its answers are. Texts in it are those of a moment ago; what
        writes edits to other documents lays their exact texts over it: ``with_texts(open_texts(folder))``.
        A document that is no file is on its own.
        """
        place = self.place(uri)
        return (place.path, place.project.view) if place is not None else ("", STANDALONE)

    def of_now(self, uri: str) -> Callable[[], ProjectView]:
        """What makes the project of a document with the texts that are open now, in any thread."""
        project = self.view(uri)[1]
        document = self._documents.examined(uri)
        if project is STANDALONE and document is not None and document.python is not None:
            return partial(program_of_source, document.python)
        if not isinstance(project, ProjectFiles) or not project.is_complete:
            return lambda: project
        return partial(project.exactly, self.open_texts(project.root))

    def open_texts(self, folder: Path) -> Mapping[str, str]:
        """The documents below a folder as they are in the editor, by path relative to it.

        Notebooks count as they are on the disk.
        """
        texts = {}
        for document in self._documents:
            path = path_of(document.uri)
            if (
                document.cells is None
                and document.is_examined
                and path is not None
                and folder in path.parents
            ):
                texts[path.relative_to(folder).as_posix()] = document.source.text
        return texts

    def name_of(self, uri: str) -> str:
        """How a document is named in its project; empty for one that is no file."""
        place = self.place(uri)
        return place.path if place is not None else ""

    def place(self, uri: str) -> ProjectPath | None:
        """Where a document is; none for one that is no file."""
        key = document_key(uri)
        if key not in self._places:
            self._places[key] = self._look_up(path_of(uri))
        return self._places[key]

    def at(self, root: Path) -> OpenProject:
        """The project of a directory."""
        project = self._projects.get(root)
        if project is None:
            project = self._projects[root] = OpenProject(root)
            self.on_new(project)
        return project

    def has(self, root: Path) -> bool:
        """Whether a directory is one of these projects."""
        return root in self._projects

    def known_place(self, uri: str) -> ProjectPath | None:
        """Where a file is, in one of these projects; the innermost counts."""
        path = path_of(uri)
        if path is None:
            return None
        inner = max((root for root in self._projects if path.is_relative_to(root)), key=_depth, default=None)
        return (
            ProjectPath(self._projects[inner], path.relative_to(inner).as_posix())
            if inner is not None
            else None
        )

    def look_again(self) -> None:
        """The folders of the workspace have changed."""
        self._places.clear()

    def keep(self, uris: Iterable[str]) -> None:
        """Drop every project that is no folder of the workspace and that no open document is of."""
        open_keys = {document_key(uri) for uri in uris}
        self._places = {key: place for key, place in self._places.items() if key in open_keys}
        used = {place.project.root for place in self._places.values() if place is not None}
        kept = used.union(self._settings.folders)
        self._projects = {root: project for root, project in self._projects.items() if root in kept}

    def _look_up(self, path: Path | None) -> ProjectPath | None:
        if path is None or not path.is_absolute():
            return None
        root = self._settings.folder_of(path) or project_directory(path)
        return ProjectPath(self.at(root), path.relative_to(root).as_posix())


def _depth(path: Path) -> int:
    return len(path.parts)
