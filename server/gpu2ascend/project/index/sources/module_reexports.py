"""What names of PyTorch the modules of a project pass on (``gpu2ascend_rules.inference.reexports``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpu2ascend_rules.hosting import ReexportView, brought, meanings_in
from gpu2ascend_rules.text.source_file import SourceFile

from .modules import ProjectModules

_CACHED_ANSWERS = 10_000


class Reexports:
    """Resolves names through modules, each of which is read and parsed once.

    Args:
        modules: Where they lie.
        names: The names that may be passed on.
        view: What the names of the modules themselves are resolved by.
        note: Gets the paths of the modules that were read.
    """

    def __init__(
        self,
        modules: ProjectModules,
        names: frozenset[str],
        view: ReexportView,
        note: Callable[[str], None] = lambda path: None,
    ) -> None:
        self._note = note
        self._modules = modules
        self._names = names
        self._view = view
        self._meanings: dict[tuple[str, str], dict[str, str]] = {}
        self._exported: dict[tuple[str, str], frozenset[str]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without the answers, which are found again in another process when they are needed there."""
        return self.__dict__ | {"_meanings": {}, "_exported": {}}

    def torch_name_of(self, importer_path: str, imported: str) -> str | None:
        """The name below ``torch`` that a name imported from a module of the project stands for."""
        module, _, name = imported.rpartition(".")
        if name not in self._names or _is_torch(module):
            return None
        return self._meanings_in(importer_path, _module_of(imported, module)).get(name)

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        """What a star import of a module brings, of the names that may be passed on."""
        names = self._exported_by(importer_path, module)
        if not names:
            return {}
        meanings = self._meanings_in(importer_path, module)
        return {name: meaning for name, meaning in meanings.items() if name in names}

    def _exported_by(self, importer_path: str, module: str) -> frozenset[str]:
        """The names that a star import of a module may bring; mostly none, which spares a parse."""
        key = (importer_path.rpartition("/")[0], module)
        if key not in self._exported:
            if len(self._exported) >= _CACHED_ANSWERS:
                self._exported.clear()
            found = self._modules.find(importer_path, module) if not _is_torch(module) else None
            self._note(found[0] if found is not None else "")
            data = found[1].encode("utf-8", "surrogatepass") if found is not None else b""
            self._exported[key] = frozenset(brought(data, self._names)) if data else frozenset()
        return self._exported[key]

    def _meanings_in(self, importer_path: str, module: str) -> dict[str, str]:
        """What a module's names stand for, of those that may be passed on: all at once, for one parse."""
        key = (importer_path.rpartition("/")[0], module)
        if key in self._meanings:
            return self._meanings[key]
        if len(self._meanings) >= _CACHED_ANSWERS:
            self._meanings.clear()
        meanings = self._meanings[key] = {}  # empty meanwhile, for modules that import each other
        found = self._modules.find(importer_path, module) if module else None
        if found is not None:
            path, text = found
            self._note(path)
            for name, meaning in meanings_in(SourceFile(text, path), self._names, self._view):
                meanings[name] = meaning
        return meanings


def _is_torch(module: str) -> bool:
    return module == "torch" or module.startswith("torch.")


def _module_of(imported: str, module: str) -> str:
    """The module of an imported name. ``from . import F`` imports ``.F`` from the package ``.``."""
    dots = imported[: len(imported) - len(imported.lstrip("."))]
    return module if module.strip(".") else dots
