"""What rules may ask about the other files."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from gpu2ascend.project.index.methods import MethodTable
from gpu2ascend.project.index.view import ProjectFiles, project_directory
from tests.server.project.samples import make_tree

FILES = {
    "train.py": "",
    "utils/__init__.py": "",
    "utils/gpu.py": "",
    "tools/eval.py": "",
    "tools/helpers.py": "",
    "spaces/only_python.py": "",
    "logs/apex/run.txt": "",
    "src/lib/core.py": "",
}


@pytest.mark.parametrize(
    ("importer", "module", "answer"),
    [
        ("train.py", "utils", True),
        ("train.py", "utils.gpu", True),
        ("train.py", "utils.missing", False),
        ("train.py", "spaces", True),
        ("train.py", "torch", False),
        ("train.py", "lib.core", True),
        ("logs/x.py", "apex", False),
        ("tools/eval.py", "helpers", True),
        ("train.py", "helpers", False),
        ("tools/eval.py", "utils.gpu", True),
        ("utils/__init__.py", ".gpu", True),
        ("utils/gpu.py", ".", True),
        ("utils/gpu.py", "..train", True),
        ("utils/gpu.py", "..tools.eval", True),
        ("utils/gpu.py", ".missing", False),
        ("utils/gpu.py", "...train", False),
        ("train.py", "..outside", False),
    ],
)
def test_modules_of_the_project(tmp_path: Path, importer: str, module: str, answer: bool) -> None:
    assert ProjectFiles(make_tree(tmp_path, FILES)).has_module(importer, module) is answer


MODEL = """\
class Trainer:
    class Inner:
        async def cuda(self): ...

    def cuda(self):
        def npu(self): ...

def cuda(): ...
"""


def test_classes_that_define_a_method(tmp_path: Path) -> None:
    files = {
        "pkg/model.py": MODEL,
        "pkg/__init__.py": "class A:\n    def cuda(self): pass\n",
        "b.py": "cuda = 1",
    }
    view = ProjectFiles(make_tree(tmp_path, files))
    expected = {"pkg.A", "pkg.model.Trainer", "pkg.model.Trainer.Inner"}
    assert view.defines_method("cuda") == expected
    assert view.defines_method("npu") == frozenset()


def test_broken_and_unreadable_files_do_not_hide_the_others(tmp_path: Path) -> None:
    files = {
        "a.py": "class A:\n    def cuda(self): pass\n\ndef broken(:\n",
        "b.py": b"class B:\n    def cuda(self): '\xff'\n",
    }
    assert ProjectFiles(make_tree(tmp_path, files)).defines_method("cuda") == {"a.A"}


def test_the_view_goes_to_another_process_with_what_it_knows(tmp_path: Path) -> None:
    table = MethodTable(["cuda"])
    table.add("m.py", MODEL.encode())
    view = pickle.loads(pickle.dumps(ProjectFiles(make_tree(tmp_path, FILES), table.result())))
    assert view.defines_method("cuda") == {"m.Trainer", "m.Trainer.Inner"}
    assert view.has_module("train.py", "utils")


def test_the_project_of_a_file(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path, {"p/pyproject.toml": "", "p/src/pkg/a.py": "", "q/pkg/__init__.py": "", "q/pkg/a.py": ""}
    )
    assert project_directory(root / "p/src/pkg/a.py") == root / "p"
    assert project_directory(root / "q/pkg/a.py") == root / "q"
