"""Calls a function when a module has been imported, however and by whom."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def after_import(name: str, call: Callable[[ModuleType], None]) -> None:
    """Call the function with the module as soon as it has run; now if it has run already."""
    module = sys.modules.get(name)
    if module is not None:
        call(module)
    else:
        sys.meta_path.insert(0, _Finder(name, call))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module once, as the other finders do, and wraps its loader."""

    def __init__(self, name: str, call: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._call = call

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the module with a loader that calls the function afterwards."""
        if name != self._name or self not in sys.meta_path:
            return None
        place = sys.meta_path.index(self)
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(place, self)
            return spec
        spec.loader = _Loader(spec.loader, self._call)
        return spec


class _Loader(importlib.abc.Loader):
    """A loader with something to do afterwards; for the rest the one that it wraps."""

    def __init__(self, loader: Any, call: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the wrapped loader does."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, give it its own loader back, and call the function."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._call(module)
