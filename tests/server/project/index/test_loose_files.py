"""A file outside any project: a bounded part of its own folder is looked at, whatever lies around it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.index import loose_files
from gpu2ascend.project.inspect.check import check_paths
from tests.server.project.samples import CUDA, OPTIONS, make_tree

ALONE = "import torch\n\n\ndef f(net):\n    net.cuda()\n"
OWN_METHOD = "class Net:\n    def cuda(self):\n        return self\n"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are listed, as often as they are."""
    found: list[str] = []
    scandir = os.scandir

    def listing(path: Any = ".") -> Any:
        scan = scandir(path)  # a folder that is not there is not opened
        found.append(os.fspath(path))
        return scan

    monkeypatch.setattr(os, "scandir", listing)
    return found


def home(tmp_path: Path, folders: int, texts: dict[str, str]) -> Path:
    """A folder without the sign of a project, with many folders beside the files."""
    others = {f"other_{number}/deep/x.py": CUDA for number in range(folders)}
    return make_tree(tmp_path / "home", {**others, **texts})


def checked(file: Path) -> Examination:
    (found,) = check_paths([file], OPTIONS, jobs=1)
    return found


def fix_of_the_move(found: Examination) -> object:
    (finding,) = [item for item in found.findings if item.code == "NPU110"]
    return finding.fix.applicability.value if finding.fix is not None else None


@pytest.mark.parametrize("folders", [100, 400])
def test_a_bounded_number_of_folders_is_opened(tmp_path: Path, opened: list[str], folders: int) -> None:
    root = home(tmp_path, folders, {"a.py": CUDA})
    checked(root / "a.py")
    assert 0 < len({name for name in opened if name.startswith(str(root))}) <= loose_files.MAX_FOLDERS


def test_a_bounded_number_of_files_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loose_files, "MAX_FILES", 3)
    root = make_tree(tmp_path / "home", {f"x_{number}.py": CUDA for number in range(10)})
    entries = list(loose_files.entries_around(root, ["x_0.py"], loose_files.Excludes(())))
    assert [entry.path for entry in entries] == ["x_0.py", "x_1.py", "x_2.py", "x_3.py"]
    assert entries[-1].kind is loose_files.EntryKind.DIRECTORY


def test_nothing_beside_the_folder_is_opened(tmp_path: Path, opened: list[str]) -> None:
    root = make_tree(tmp_path / "home", {"scripts/a.py": CUDA, "photos/x.py": CUDA, "b.py": CUDA})
    checked(root / "scripts/a.py")
    assert str(root / "scripts") in opened
    assert not [name for name in opened if name in (str(root), str(root / "photos"))]


def test_of_a_package_its_own_folder_is_opened_and_not_what_lies_beside_it(
    tmp_path: Path, opened: list[str]
) -> None:
    root = make_tree(tmp_path / "home", {"pkg/__init__.py": "", "pkg/a.py": CUDA, "photos/x.py": CUDA})
    checked(root / "pkg/a.py")
    assert str(root / "pkg") in opened
    assert str(root / "photos") not in opened


def test_a_project_is_read_as_a_whole(tmp_path: Path, opened: list[str]) -> None:
    root = home(tmp_path, 100, {"a.py": CUDA, "pyproject.toml": ""})
    checked(root / "a.py")
    assert len({name for name in opened if name.startswith(str(root))}) > 200


def test_classes_of_the_files_around_count(tmp_path: Path) -> None:
    root = home(tmp_path, 2, {"a.py": ALONE, "models/net.py": OWN_METHOD})
    assert fix_of_the_move(checked(root / "a.py")) == "unsafe"
    (root / "models/net.py").unlink()
    assert fix_of_the_move(checked(root / "a.py")) == "safe"


def test_where_more_lies_around_a_file_that_imports_nothing_of_it_is_fixed(tmp_path: Path) -> None:
    root = home(tmp_path, 100, {"a.py": ALONE})
    assert fix_of_the_move(checked(root / "a.py")) == "safe"


def test_where_more_lies_around_what_may_be_imported_is_not_known(tmp_path: Path) -> None:
    root = home(tmp_path, 100, {"a.py": f"import net\n{ALONE}", "net.py": "x = 1\n"})
    assert fix_of_the_move(checked(root / "a.py")) == "unsafe"
