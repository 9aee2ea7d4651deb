"""The server's packages are small, and no module is part of an import circle.

The contracts in ``pyproject.toml``, which the lint step checks, say which package may import which.
"""

from __future__ import annotations

from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

import gpu2ascend

ROOT = Path(gpu2ascend.__file__).parent
MOST = 12
"""Loose modules of one package, beside its ``__init__``."""


def modules_by_package(root: Path) -> Counter[str]:
    """How many modules each package below a directory has, but those that projects receive."""
    modules = (
        path for path in root.rglob("*.py") if path.name != "__init__.py" and "templates" not in path.parts
    )
    return Counter(path.parent.relative_to(root).as_posix() for path in modules)


def circle(imports: dict[str, set[str]]) -> list[str]:
    """Modules that import each other, in order; none where there is no circle."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


@pytest.mark.parametrize(("package", "count"), sorted(modules_by_package(ROOT).items()))
def test_a_package_has_few_loose_modules(package: str, count: int) -> None:
    assert count <= MOST, f"{package} has {count} modules: make packages of what belongs together"


@pytest.mark.parametrize("package", sorted({path.parent for path in ROOT.rglob("__init__.py")}), ids=str)
def test_a_package_says_what_it_owns(package: Path) -> None:
    assert (package / "__init__.py").read_text("utf-8").strip().strip('"')


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("gpu2ascend", cache_dir=None)
    assert circle({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}) == []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
