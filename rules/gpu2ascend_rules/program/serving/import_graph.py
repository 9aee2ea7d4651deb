"""Which modules of a project import which, each looked up once."""

from __future__ import annotations

from collections.abc import Iterator

from ...flow.command_line.options import imported_modules
from ...flow.names.files import ProjectFilesView
from ...limits.checkpoints import checkpoint

_MOST_MODULES = 40
"""Modules of a program that are looked at."""


class ImportGraph:
    """Resolves the imports of the files that it is asked about."""

    def __init__(self, project: ProjectFilesView) -> None:
        self._project = project
        self._imports: dict[str, tuple[str, ...]] = {}

    def imports(self, path: str) -> tuple[str, ...]:
        """The files of the project that a module may import, in the order of its imports."""
        if path not in self._imports:
            text = self._project.text_at(path) or ""
            places = (self._project.path_of_module(path, module) for module in imported_modules(text))
            self._imports[path] = tuple(dict.fromkeys(place for place in places if place is not None))
        return self._imports[path]

    def modules_of(self, program: str) -> Iterator[str]:
        """The modules of a program: its script, then those that it imports."""
        seen, pending = {program}, [program]
        while pending and len(seen) <= _MOST_MODULES:
            checkpoint()
            path = pending.pop(0)
            yield path
            new = [found for found in self.imports(path) if found not in seen]
            seen.update(new)
            pending += new
