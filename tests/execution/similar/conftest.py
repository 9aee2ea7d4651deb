"""The module of equivalents as a project would get it, assembled and imported."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest

from gpu2ascend_rules.similar.assemble import assemble, part_names

Load = Callable[[Iterable[str]], ModuleType]
OTHER_FORM = "conv3d_slices"
"""Defines the same class as another part: never in a module with that."""


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """A module of some parts."""

    def imported(parts: Iterable[str]) -> ModuleType:
        path = tmp_path_factory.mktemp("similar") / "similar_api.py"
        Path(path).write_text(assemble(parts), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("similar_api", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return imported


@pytest.fixture(scope="session")
def similar(load: Load) -> ModuleType:
    """A module of all parts."""
    return load(part_names() - {OTHER_FORM})
