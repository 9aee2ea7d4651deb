"""Modules that an installed command starts: a project's packaging names them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ...model.project.project_view import ProjectView

_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
_SCRIPT = re.compile(r"[\w.-]+[\"']?[ \t]*=[ \t]*[\"']?[ \t]*([A-Za-z_][\w.]*)[ \t]*:[ \t]*[A-Za-z_]\w*")
"""``name = package.module:function``."""


def is_started_by_command(path: str, project: ProjectView) -> bool:
    """Whether a console script of the project that holds a file runs a function of it."""
    stem = path.removesuffix(".py").removesuffix("/__init__")
    return any(stem == name or stem.endswith(f"/{name}") for name in _modules(path, project))


def _modules(path: str, project: ProjectView) -> Iterator[str]:
    """The modules that console scripts name, with ``/``, of all projects above a file."""
    directory = posixpath.dirname(path)
    while True:
        for name in _FILES:
            text = project.text_at(posixpath.join(directory, name)) or ""
            if "scripts" in text:
                yield from (match[1].replace(".", "/") for match in _SCRIPT.finditer(text))
        above = posixpath.dirname(directory)
        if above == directory:
            return
        directory = above
