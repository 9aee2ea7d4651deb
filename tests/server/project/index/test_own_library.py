"""A library that needs CUDA is none of others in the project that is the library itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.facts.packages.third_party import cuda_modules
from gpu2ascend_rules.text.source_file import SourceFile
from tests.server.project.samples import OPTIONS, make_tree

LIBRARIES = sorted(cuda_modules())
LAYOUTS = {
    "the folder above": ("{package}", "", "{package}/core/a.py"),
    "the package": ("{package}", "{first}", "core/a.py"),
    "a part of the package": ("{package}", "{package}/core", "a.py"),
    "src": ("src/{package}", "", "src/{package}/core/a.py"),
    "a repository of many languages": ("python/{package}", "", "python/{package}/core/a.py"),
    "its tests": ("{package}", "", "tests/deep/test_a.py"),
    "tests beside a folder of one language": ("python/{package}", "", "tests/deep/test_a.py"),
    "examples beside src": ("src/{package}", "", "examples/a.py"),
}
"""By what is examined: where the package lies, which folder is the project's, and a file of it."""


def is_reported(root: Path, path: str, library: str) -> bool:
    source = SourceFile(f"import {library} as used\nused.f()\n", path)
    codes = {finding.code for finding in check(source, OPTIONS, ProjectFiles(root))}
    return "NPU701" in codes


def tree_of(scratch: Path, library: str, folder: str) -> Path:
    """A checkout of a library."""
    package = folder.format(package=library.replace(".", "/"))
    parts = library.count(".") + 1
    inits = [package.rsplit("/", level)[0] + "/__init__.py" for level in range(parts)]
    files = dict.fromkeys((*inits, f"{package}/core/__init__.py", f"{package}/core/a.py"), "")
    top = package.partition("/")[0]
    if top == "python":
        files["python/setup.py"] = ""
    return make_tree(scratch / library, files)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_is_not_reported_there(tmp_path: Path, layout: str) -> None:
    folder, root, path = LAYOUTS[layout]
    for library in LIBRARIES:
        places = {"package": library.replace(".", "/"), "first": library.partition(".")[0]}
        project = tree_of(tmp_path, library, folder) / root.format(**places)
        assert not is_reported(project, path.format(**places), library), library


def test_it_is_reported_in_every_other_project(tmp_path: Path) -> None:
    """The positive control: what each of the others would be reported for."""
    root = make_tree(tmp_path / "other", {"pkg/__init__.py": "", "pkg/core/a.py": "", "python/setup.py": ""})
    for library in LIBRARIES:
        assert is_reported(root, "pkg/core/a.py", library), library


def test_a_library_within_another_one_is_of_others(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"dgl/__init__.py": "", "dgl/a.py": ""}) / "dgl"
    assert is_reported(root, "a.py", "cupy")
    assert not is_reported(root, "a.py", "dgl")


def test_a_folder_of_copies_is_no_part_of_the_project(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path, {"a.py": "", "third_party/apex/apex/__init__.py": "", "third_party/README.md": ""}
    )
    view = ProjectFiles(root)
    assert not view.has_module("a.py", "apex")
    assert view.has_module("third_party/apex/b.py", "apex")


def test_what_lies_in_the_package_around_the_project_is_its_own(tmp_path: Path) -> None:
    make_tree(tmp_path, {"numba/__init__.py": "", "numba/cuda/__init__.py": "", "numba/core/__init__.py": ""})
    view = ProjectFiles(tmp_path / "numba" / "core")
    assert view.has_module("a.py", "numba.cuda")
    assert not view.has_module("a.py", "numba.missing")
