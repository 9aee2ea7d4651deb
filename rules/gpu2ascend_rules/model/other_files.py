"""What the other files of a project do with what one file has: import its names, set the same defaults.

A view of the project that has read its files knows it; a file alone has none.
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


class DefaultsView(Protocol):
    """A ``ProjectView`` that knows what default tensor types the project's files set."""

    @property
    def default_types(self) -> frozenset[str]:
        """``cuda.HalfTensor``, ``FloatTensor``; ``dtype`` where a file sets the default dtype by itself."""


def default_types_elsewhere(project: ProjectView) -> frozenset[str]:
    """The default tensor types that the files of the project set, as far as is known."""
    if not hasattr(type(project), "default_types"):
        return frozenset()
    return cast(DefaultsView, project).default_types


def _module_of(path: str) -> str:
    """The last part of the name of the module that a file is."""
    file = PurePosixPath(path.replace("\\", "/"))
    return file.parent.name if file.name == "__init__.py" else file.stem
