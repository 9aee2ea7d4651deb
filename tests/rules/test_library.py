"""The public API of the package: what its page shows is so, and the server uses nothing deeper."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpu2ascend
import gpu2ascend_rules
from gpu2ascend_rules import Options, check, fix, hosting

ROOT = Path(__file__).parents[2]
SERVER = Path(gpu2ascend.__file__).parent
TEMPLATES = "templates"
DATA = {"data", "facts", "guides", "kinds", "limits", "messages", "model", "options", "targets", "text"}
"""Rooms that hold data and texts, how they are read, and the limits of reading."""
RULES = Path(gpu2ascend_rules.__file__).parent
DOORS = {path.stem for path in RULES.glob("[a-z]*.py")} | {"hosting"}


@pytest.mark.parametrize("page", ["library.md", "library.zh-CN.md"])
def test_the_examples_of_the_page_are_so(page: str) -> None:
    result = doctest.testfile(str(ROOT / "docs" / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted >= 20 and result.failed == 0


def offered_by(package: Path) -> set[str]:
    """What the ``__init__`` of a package imports for type checkers: what it offers."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = (node for node in block.body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in imports for alias in node.names} - {"TextFile"}


def test_every_name_that_a_package_offers_is_there() -> None:
    own = offered_by(RULES)
    assert own | {"check", "explain", "fix"} == set(gpu2ascend_rules.__all__)
    assert all(getattr(gpu2ascend_rules, name) is not None for name in own)
    deeper = offered_by(RULES / "hosting")
    assert deeper and all(hasattr(hosting, name) for name in deeper)


@pytest.mark.parametrize("package", [gpu2ascend_rules, hosting], ids=["public", "hosting"])
def test_another_name_is_an_error(package: object) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'gone'"):
        package.gone  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("call", [check, fix], ids=["check", "fix"])
def test_a_notebook_is_refused(call: object) -> None:
    with pytest.raises(ValueError, match=r"a\.ipynb is a notebook"):
        call("{}", Options(version="2.8.0"), "a.ipynb")  # type: ignore[operator]


def test_importing_the_package_loads_nothing_of_it() -> None:
    show = (
        "import sys, gpu2ascend_rules; print([n for n in sys.modules if n.startswith('gpu2ascend_rules.')])"
    )
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'rules')!r}); {show}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "[]\n"


def deep_imports(folder: Path) -> Iterator[str]:
    """The modules of the rules that a folder's modules import and that are no part of the surface."""
    for path in folder.rglob("*.py"):
        if TEMPLATES in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gpu2ascend_rules."):
                module = str(node.module)
                if module.split(".")[1] not in DATA | DOORS:
                    yield f"{path.name}: {module}"


def test_the_server_uses_the_public_surface_and_the_data(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text("from gpu2ascend_rules.engine.registry import all_rules\n")
    assert list(deep_imports(tmp_path)) == ["deep.py: gpu2ascend_rules.engine.registry"]
    assert list(deep_imports(SERVER)) == []


def test_hosting_names_nothing_that_the_server_does_not_use() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SERVER.rglob("*.py")]
    imported = [
        alias.name
        for text in texts
        if "gpu2ascend_rules.hosting" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module == "gpu2ascend_rules.hosting"
        for alias in node.names
    ]
    assert offered_by(RULES / "hosting") == set(imported)
