"""What the other files of a project do with what one file has: import its names."""

from __future__ import annotations

from pathlib import PurePosixPath

from .project_view import ProjectView


def is_imported_elsewhere(project: ProjectView, path: str, name: str) -> bool:
    """Whether another file of the project imports a name from a file, as far as is known."""
    if path.endswith(".ipynb"):
        return False
    module = _module_of(path)
    known = project.imported_names
    return any(text in known for text in (f"{module}.{name}", f"{module}.*", f".{name}"))


def may_be_imported_elsewhere(project: ProjectView, path: str, name: str) -> bool:
    """The same, where a file that was not read yet may be one that does."""
    return not project.is_complete or is_imported_elsewhere(project, path, name)


def _module_of(path: str) -> str:
    """The last part of the name of the module that a file is."""
    file = PurePosixPath(path.replace("\\", "/"))
    return file.parent.name if file.name == "__init__.py" else file.stem
