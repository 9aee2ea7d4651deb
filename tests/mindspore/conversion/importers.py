"""A project whose files import one that is converted."""

from __future__ import annotations

from gpu2ascend_rules.model.project.project_view import Standalone


class Importers(Standalone):
    """A project with files that import one that is converted, ``trainers/gan.py``."""

    def __init__(self, texts: dict[str, str], text: str, names: frozenset[str] = frozenset()) -> None:
        self._texts = {**texts, "trainers/gan.py": text}
        self.imported_names = names

    def names_in(self, directory: str) -> tuple[str, ...]:
        below = (one.rpartition("/") for one in self._texts)
        return tuple(name for folder, _, name in below if folder == directory)

    def text_at(self, path: str) -> str | None:
        return self._texts.get(path)

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        path = f"{module.replace('.', '/')}.py"
        return (path, self._texts[path]) if path in self._texts else None
