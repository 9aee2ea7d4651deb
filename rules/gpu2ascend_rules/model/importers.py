"""Whether other files of the project import a name from a module, so that its import line must stay.

A view of the project that has read its files knows it (:class:`ImportersView`); a file alone has none.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Protocol, cast

from .project_view import ProjectView


class ImportersView(Protocol):
    """A ``ProjectView`` that knows what the project's files import from each other."""

    @property
    def imported_names(self) -> frozenset[str]:
        """``module.name`` by the last part of a module's name, ``module.*``, and ``.name`` for attributes."""


def is_imported_elsewhere(project: ProjectView, path: str, name: str) -> bool:
    """Whether another file of the project imports a name from a file, as far as is known."""
    view = cast(ImportersView, project) if hasattr(type(project), "imported_names") else None
    if view is None or path.endswith(".ipynb"):
        return False
    module = _module_of(path)
    known = view.imported_names
    return any(text in known for text in (f"{module}.{name}", f"{module}.*", f".{name}"))


def may_be_imported_elsewhere(project: ProjectView, path: str, name: str) -> bool:
    """The same, where a file that was not read yet may be one that does."""
    return not project.is_complete or is_imported_elsewhere(project, path, name)


def _module_of(path: str) -> str:
    """The last part of the name of the module that a file is."""
    file = PurePosixPath(path.replace("\\", "/"))
    return file.parent.name if file.name == "__init__.py" else file.stem
