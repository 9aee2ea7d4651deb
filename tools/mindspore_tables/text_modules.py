"""Modules of a text, for what is run: needs no framework to be imported."""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
import tempfile
import types


def module_of(name: str, text: str) -> types.ModuleType:
    """A module of a text, read from a file that stays as long as this process.

    What compiles its functions reads their lines there.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".py", prefix=name, delete=False, encoding="utf-8") as file:
        file.write(text)
    atexit.register(os.unlink, file.name)
    spec = importlib.util.spec_from_file_location(name, file.name)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
