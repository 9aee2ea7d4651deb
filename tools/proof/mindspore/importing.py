"""Run by itself: imports files of a converted package, and prints as JSON what failed.

``python importing.py FOLDER FILE...``: the folder is that of the output. What a package imports beside
itself, MindSpore and torch is a stub where it is not installed: the files are imported, and not used.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import json
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any


class _Every(type):
    """Classes that have every attribute."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Every(name, (_Anything,), {})


class _Anything(metaclass=_Every):
    """What is imported from a module that is not installed: called, asked, derived from, gone through."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: object) -> Any:
        return self

    def __iter__(self) -> Iterator[Any]:
        """Two of them: ``figure, axes = plt.subplots()``."""
        return iter((self, self))


class _Stub(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Every(name, (_Anything,), {})


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what nobody else finds of the modules that a package imports."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._wanted = frozenset(wanted) | {"tensorboard"}  # torch's writer imports it

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A stub for a module that is not installed."""
        if name.partition(".")[0] not in self._wanted:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """An empty module, new enough for anybody."""
        module = _Stub(spec.name)
        module.__dict__["__version__"] = "99.0"
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


def module_of(file: str) -> str:
    """The module that a file is, by its path in the package's folder."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported_by(folder: Path) -> set[str]:
    """The top-level modules that the files below a folder import, without those in the folder."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(one.name.partition(".")[0] for one in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.partition(".")[0])
    return found - {path.stem for path in folder.iterdir()} - {"mindspore", "torch"}


def failures(folder: Path, files: Sequence[str]) -> dict[str, str]:
    """What each file that cannot be imported raises."""
    sys.path.insert(0, str(folder))
    sys.meta_path.append(Stubs(imported_by(folder)))
    if "torchvision" in imported_by(folder) and not _can_be_imported("torchvision"):
        # It is a build for another torch, and files that stay import it.
        sys.meta_path.insert(0, Stubs(["torchvision"]))
    found: dict[str, str] = {}
    for file in files:
        try:
            module = importlib.import_module(module_of(file))
            if Path(str(module.__file__)).resolve() != (folder / file).resolve():
                found[file] = f"another file was imported: {module.__file__}"
        except Exception as error:  # whatever a module of others raises is the answer
            found[file] = f"{type(error).__name__}: {error}"[:300]
    return found


def _can_be_imported(name: str) -> bool:
    try:
        importlib.import_module(name)
    except Exception:
        for loaded in [one for one in sys.modules if one.partition(".")[0] == name]:
            del sys.modules[loaded]
        return False
    return True


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    answer = failures(Path(sys.argv[1]), sys.argv[2:])
    print(f"\n{json.dumps(answer)}")
