"""The project that each open document belongs to, as the rules see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from gpu2ascend_rules.model.project_view import STANDALONE, ProjectView

from ...project.index.view import ProjectFiles
from ..conversion.uris import path_of
from .documents import Document
from .settings import Settings


class Projects:
    """The projects of a workspace: one for each folder, shared by all documents in it."""

    def __init__(self, settings: Settings, documents: Iterable[Document]) -> None:
        self._settings = settings
        self._documents = documents

    def view(self, uri: str) -> tuple[str, ProjectView]:
        """A document's path relative to its project, with ``/``, and the project.

        What is in no file has no project.
        """
        path = path_of(uri)
        folder = self._settings.at(path).folder if path is not None else None
        if path is None or folder is None or not path.is_relative_to(folder):
            return (str(path) if path is not None else ""), STANDALONE
        return path.relative_to(folder).as_posix(), self.of_folder(folder)

    def of_folder(self, folder: Path) -> ProjectView:
        """The project in a folder."""
        return ProjectFiles(folder, texts=self.open_texts(folder))

    def open_texts(self, folder: Path) -> Mapping[str, str]:
        """The documents below a folder as they are in the editor, by path relative to it.

        Notebooks count as they are on the disk.
        """
        texts = {}
        for document in self._documents:
            path = path_of(document.uri)
            if document.cells is None and document.is_python and path is not None and folder in path.parents:
                texts[path.relative_to(folder).as_posix()] = document.source.text
        return texts
