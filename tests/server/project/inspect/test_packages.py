"""The packages of others that a project uses, each once and with the verdict of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.inspect.packages import PackageUse, PackageUses
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})


def packages(tmp_path: Path, files: dict[str, str]) -> dict[str, PackageUse]:
    root = tmp_path / "project"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    uses = PackageUses(ProjectFiles(root))
    for file in check_paths([root], OPTIONS):
        uses.add(Path(file.path).relative_to(root).as_posix(), file)
    return {use.name: use for use in uses.result()}


def test_four_verdicts(tmp_path: Path) -> None:
    found = packages(tmp_path, {"requirements.txt": "flash-attn\napex\nspconv\nray\ndgl\n"})
    statuses = {name: use.verdict.status for name, use in found.items() if use.verdict is not None}
    assert statuses == {
        "flash-attn": "replaced", "apex": "replaced", "spconv": "replaced", "ray": "works", "dgl": "replaced",
    }  # fmt: skip
    assert [name for name, use in found.items() if not use.fails] == ["ray"]


def test_it_stands_at_the_first_import_and_not_at_the_list(tmp_path: Path) -> None:
    files = {"a.py": "import os\nimport dgl\n", "b.py": "import dgl\n", "requirements.txt": "dgl==1.0\n"}
    use = packages(tmp_path, files)["dgl"]
    assert (use.path, use.line, use.is_import, use.versions) == ("a.py", 2, True, "==1.0")


def test_an_import_that_nothing_guards_comes_before_one_that_is_tried(tmp_path: Path) -> None:
    tried = "try:\n    import dgl\nexcept ImportError:\n    dgl = None\n"
    assert packages(tmp_path / "1", {"a.py": tried})["dgl"].fails is False
    use = packages(tmp_path / "2", {"a.py": tried, "b.py": "import dgl\n"})["dgl"]
    assert (use.path, use.fails) == ("b.py", True)


@pytest.mark.parametrize(
    ("asked", "is_too_old"),
    [
        ("==0.9", True), ("<0.10", True), ("<=0.10", True), ("~=0.9.0", True),
        ("==0.21", False), ("==0.30", False), (">=0.9", False), ("", False), ("<0.22", False),
    ],
)  # fmt: skip
def test_a_list_that_asks_for_releases_before_the_first_that_works(
    tmp_path: Path, asked: str, is_too_old: bool
) -> None:
    use = packages(tmp_path, {"requirements.txt": f"accelerate{asked}\n"})["accelerate"]
    assert (use.is_too_old, use.fails) == (is_too_old, is_too_old)


def test_what_a_setup_script_lists(tmp_path: Path) -> None:
    text = 'from setuptools import setup\nsetup(install_requires=[\n    "torch",\n    "dgl>=1",\n])\n'
    use = packages(tmp_path, {"setup.py": text})["dgl"]
    assert (use.path, use.line, use.versions) == ("setup.py", 4, ">=1")


def test_what_the_table_does_not_have_is_listed_without_a_verdict(tmp_path: Path) -> None:
    use = packages(tmp_path, {"a.py": "import numpy.linalg\n"})["numpy"]
    assert use.verdict is None and not use.fails


def test_modules_of_the_project_and_of_python_and_torch_itself_are_no_packages(tmp_path: Path) -> None:
    text = "import os, torch, torch_npu, dgl\nfrom . import spconv\nimport ray\n"
    found = packages(tmp_path, {"a.py": text, "dgl.py": "", "spconv.py": ""})
    assert list(found) == ["ray"]


def test_a_cell_of_a_notebook_is_a_place_in_the_file(tmp_path: Path) -> None:
    cell = '{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["import dgl\\n"]}'
    text = f'{{"cells": [\n{cell}\n], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}\n'
    assert packages(tmp_path, {"a.ipynb": text})["dgl"].line == 2


@pytest.mark.parametrize(
    "statement", ["import dgl as d", "import dgl.nn as n", "import dgl.nn", "from dgl import nn"]
)
def test_a_package_is_known_whatever_name_its_import_binds(tmp_path: Path, statement: str) -> None:
    found = packages(tmp_path, {"a.py": f"import os.path as p\n{statement}\n"})
    assert [(name, use.fails, use.line) for name, use in found.items()] == [("dgl", True, 2)]


def test_a_module_and_a_list_that_spell_a_package_in_two_ways_are_one(tmp_path: Path) -> None:
    found = packages(tmp_path, {"a.py": "import kornia_rs\n", "requirements.txt": "kornia-rs>=1\ntorch\n"})
    assert [(name, use.path, use.versions) for name, use in found.items()] == [("kornia_rs", "a.py", ">=1")]


SETUP = """from setuptools import setup

hooks = ["faiss-gpu >= 1.6.3"]
base = ["dgl"] + ["ray"]
setup(install_requires=base, extras_require={"hooks": hooks, "fast": ["flash-attn"], "all": hooks + base})
"""


def test_what_a_setup_script_lists_under_names_and_as_extras(tmp_path: Path) -> None:
    found = packages(tmp_path, {"setup.py": SETUP})
    assert {name: use.line for name, use in found.items() if name != "setuptools"} == {
        "dgl": 4, "faiss-gpu": 3, "flash-attn": 5, "ray": 4,
    }  # fmt: skip


def test_an_import_that_is_tried_comes_before_a_list_too(tmp_path: Path) -> None:
    tried = "try:\n    import dgl\nexcept ImportError:\n    dgl = None\n"
    for name in ("a.py", "z.py"):  # before and after the list
        files = {name: tried, "requirements.txt": "dgl==1.0\n"}
        use = packages(tmp_path / name, files)["dgl"]
        assert (use.path, use.is_import, use.versions, use.fails) == (name, True, "==1.0", False)
