"""What rules may ask about the other files."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from gpu2ascend.project.index.facts.facts import ProjectFacts
from gpu2ascend.project.index.facts.file_facts import facts_of
from gpu2ascend.project.index.sources.directories import project_directory
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.model.project.decisions import NOTHING_DECIDED
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.program.program import Program
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
    "pkg/__init__.py": "",
    "pkg/lib/__init__.py": "",
    "pkg/lib/tensorrt.py": "",
    "pkg/lib/use.py": "",
    "pkg/scripts/run.py": "",
    "pkg/scripts/apex.py": "",
}


def test_a_directory_that_is_a_package_knows_its_own_names(tmp_path: Path) -> None:
    make_tree(tmp_path, {"apex/__init__.py": "", "apex/amp/__init__.py": "", "apex/amp/a.py": ""})
    names = ("apex", "apex.amp", "amp", "apex.optimizers")
    known = {name for name in names if ProjectFiles(tmp_path / "apex" / "amp").has_module("a.py", name)}
    assert known == {"apex", "apex.amp"}


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
        ("pkg/lib/use.py", "tensorrt", False),
        ("pkg/lib/tensorrt.py", "tensorrt", False),
        ("pkg/lib/use.py", ".tensorrt", True),
        ("pkg/lib/use.py", "pkg.lib.tensorrt", True),
        ("pkg/lib/use.py", "scripts", False),
        ("pkg/scripts/run.py", "apex", True),
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


def test_methods_of_tensors_in_another_file_are_known(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "class A:\n    def exp(self):\n        return 1\n"})
    assert ProjectFiles(root).tensor_like == {"exp"}


def facts(files: dict[str, str]) -> ProjectFacts:
    """What a survey finds in these files."""
    return ProjectFacts.of((path, facts_of(path, text.encode())) for path, text in files.items())


def test_the_view_goes_to_another_process_with_what_it_knows(tmp_path: Path) -> None:
    found = facts({"m.py": MODEL})
    texts = {"new.py": "from torch import nn\n"}
    view = pickle.loads(pickle.dumps(ProjectFiles(make_tree(tmp_path, FILES), found, texts)))
    assert view.defines_method("cuda") == {"m.Trainer", "m.Trainer.Inner"}
    assert view.has_module("train.py", "utils")
    assert view.torch_name_of("train.py", "new.nn") == "torch.nn"


def test_a_text_counts_in_place_of_its_file(tmp_path: Path) -> None:
    files = {"a.py": "class A:\n    def cuda(self): pass\n", "b.py": "class B:\n    def cuda(self): pass\n"}
    texts = {"a.py": "from torch import nn as layers\n"}
    for known in (None, facts(files)):
        view = ProjectFiles(make_tree(tmp_path, files), known, texts)
        assert view.defines_method("cuda") == {"b.B"}
        assert view.find_module("b.py", "a") == ("a.py", texts["a.py"])
    assert view.torch_name_of("b.py", "a.layers") == "torch.nn"
    assert view.brought_by_star("b.py", "a") == {"layers": "torch.nn"}


def test_a_text_that_is_not_on_disk_is_a_module(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"train.py": ""})
    view = ProjectFiles(root, facts({}), {"pkg/new.py": "class A:\n    def cuda(self): pass\n"})
    assert view.has_module("train.py", "pkg.new")
    assert view.has_module("train.py", "pkg")
    assert not view.has_module("train.py", "new")
    assert view.find_module("train.py", "pkg.new") is not None
    assert view.defines_method("cuda") == {"pkg.new.A"}


def test_an_open_init_makes_a_directory_a_package(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"pkg/use.py": "", "pkg/apex.py": ""})
    assert ProjectFiles(root).has_module("pkg/use.py", "apex")
    assert not ProjectFiles(root, texts={"pkg/__init__.py": ""}).has_module("pkg/use.py", "apex")


def test_a_view_that_does_not_know_all_files_reads_none_of_them(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "class A:\n    def cuda(self): pass\n"})
    texts = {"b.py": "class B:\n    def cuda(self): pass\n"}
    view = ProjectFiles(root, texts=texts, is_complete=False)
    assert not view.is_complete
    assert view.defines_method("cuda") == {"b.B"}
    assert view.has_module("b.py", "a")


def test_other_texts_can_be_laid_over_the_same_project(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": ""})
    view = ProjectFiles(root, facts({"a.py": ""}), {"a.py": "x = 1\n"})
    other = view.with_texts({"a.py": "class A:\n    def cuda(self): pass\n"})
    assert other.defines_method("cuda") == {"a.A"}
    assert view.defines_method("cuda") == frozenset()


def test_the_project_of_a_file(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path, {"p/pyproject.toml": "", "p/src/pkg/a.py": "", "q/pkg/__init__.py": "", "q/pkg/a.py": ""}
    )
    assert project_directory(root / "p/src/pkg/a.py") == root / "p"
    assert project_directory(root / "q/pkg/a.py") == root / "q"


def test_a_library_of_containers_is_known_by_its_first_name(tmp_path: Path) -> None:
    make_tree(tmp_path, {"data/load.py": "from torch_geometric.loader import DataLoader\n", "train.py": ""})
    view = ProjectFiles(tmp_path)
    assert view.may_import("torch_geometric")
    assert not view.may_import("tensordict")


def test_a_defect_of_the_program_is_told_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Program, may_edit: object) -> None:
        raise ValueError("a defect")

    monkeypatch.setattr(Program, "decisions", fail)
    (tmp_path / "a.py").write_text("import torch\nx = torch.ones(2, device='cuda')\n", encoding="utf-8")
    project = ProjectFiles(tmp_path)
    assert project.program.decided(options_from({"version": "2.8.0"})) == NOTHING_DECIDED
    assert "ValueError: a defect. Please report it" in caplog.text


def test_no_configuration_is_looked_for_around_a_file_of_no_project(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.py": "import yaml\n", "deep/below/config.yaml": "device: cuda\n"})
    assert [word.path for word in ProjectFiles(tmp_path).setting_words] == ["deep/below/config.yaml"]
    assert ProjectFiles(tmp_path, has_settings=False).setting_words == ()
