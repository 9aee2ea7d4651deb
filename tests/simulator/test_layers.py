"""The packages of the simulator are small, say what they own, and need nothing but torch."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.server.test_layers import MOST, modules_by_package

ROOT = Path(__file__).parents[2] / "server" / "gpu2ascend_simulator"
ALLOWED = {*sys.stdlib_module_names, "torch", "torch_npu", "gpu2ascend_simulator"}


@pytest.mark.parametrize(("package", "count"), sorted(modules_by_package(ROOT).items()))
def test_a_package_has_few_loose_modules(package: str, count: int) -> None:
    assert count <= MOST, f"{package} has {count} modules: make packages of what belongs together"


@pytest.mark.parametrize("package", sorted({path.parent for path in ROOT.rglob("*.py")}), ids=str)
def test_a_package_says_what_it_owns(package: Path) -> None:
    assert (package / "__init__.py").read_text("utf-8").strip().strip('"')


def imported(code: str) -> set[str]:
    """The top-level packages that a module imports by their full names."""
    tree = ast.parse(code)
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in plain | named if name}


def test_every_form_of_an_import_is_seen() -> None:
    code = "import os, numpy.linalg as la\ndef f():\n    from attrs import frozen\nfrom . import own\n"
    assert imported(code) - ALLOWED == {"numpy", "attrs"}


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=str)
def test_a_module_imports_the_standard_library_and_torch_only(path: Path) -> None:
    assert imported(path.read_text("utf-8")) - ALLOWED == set()
