"""The helper file of converted code, as a package that it can import."""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import sys
import tempfile
import types
from collections.abc import Collection
from pathlib import Path

from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_rules.similar.assemble import modules


def provide(parts: Collection[str]) -> None:
    """Have the package of some parts imported as from a project: what compiles it reads its files."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    package = types.ModuleType(MINDSPORE.package)
    package.__path__ = [str(folder)]
    sys.modules[MINDSPORE.package] = package
    for last, text in modules(parts).items():
        name, path = f"{MINDSPORE.package}.{last}", folder / f"{last}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        setattr(package, last, module)
