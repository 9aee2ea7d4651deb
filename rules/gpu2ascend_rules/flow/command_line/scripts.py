"""Scripts of Python whose names have no suffix: by their first line, or as the project installs them."""

from __future__ import annotations

import posixpath
import re

from ...model.project.project_view import ProjectView
from ...text.plain.python_files import is_python, may_have_head

_NAME = re.compile(r"(?:\.{1,2}/)*[\w-]+(?:/[\w-]+)*", re.ASCII)
_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")
_ENTRY = re.compile(r"([\w.-]+)[\"']?\s*=\s*[\"']?([A-Za-z_][\w.]*):[A-Za-z_]")


def script_called(name: str, path: str, project: ProjectView) -> tuple[str, str] | None:
    """The path and the text of the project's script that a word without a suffix names.

    Args:
        name: As a command has it; seen from the directory of the file, or from that of the project.
        path: Where the command stands.
    """
    if not may_have_head(name) or _NAME.fullmatch(name) is None:
        return None
    for directory in dict.fromkeys((posixpath.dirname(path), "")):
        place = posixpath.normpath(posixpath.join(directory, name))
        text = project.text_at(place) if not place.startswith("..") else None
        if text is not None and is_python(place, text):
            return place, text
    return installed_script(name, project)


def installed_script(name: str, project: ProjectView) -> tuple[str, str] | None:
    """The path and the text of the module for which the project installs a command."""
    for place in _PACKAGING:
        text = project.text_at(place)
        for command, module in _ENTRY.findall(text) if text is not None and name in text else ():
            if command == name:
                return project.find_module(place, module)
    return None
