"""Projects that a target cannot take as a whole are refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.files.excludes import Excludes
from gpu2ascend.project.index.foreign import refuse_foreign_project
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import make_tree

MINDSPORE = options_from({"target": "mindspore"})
FOREIGN = [
    "import timm\n",
    "import torch, timm as t\n",
    "from transformers.models import bert\n",
    "import pytorch_lightning as pl\n",
]
NATIVE = [
    "import torch\nimport torchvision\n",
    "def f():\n    import timm\n",
    "# import timm\n",
    "import timmy\n",
]


def refuse(tmp_path: Path, files: dict[str, str], target: str = "mindspore", *excluded: str) -> None:
    root = make_tree(tmp_path / "p", files)
    refuse_foreign_project(root, options_from({"target": target}), Excludes(excluded))


@pytest.mark.parametrize("text", FOREIGN)
def test_a_library_without_counterpart_is_named_with_its_files(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as raised:
        refuse(tmp_path, {"a.py": "import torch\n", "lib/b.py": text})
    arguments = dict(raised.value.message.arguments)
    assert raised.value.message.id == "project.foreign-library"
    assert arguments["places"] == "lib/b.py"


@pytest.mark.parametrize("text", NATIVE)
def test_other_projects_are_taken(tmp_path: Path, text: str) -> None:
    refuse(tmp_path / "taken", {"a.py": text})
    with pytest.raises(InputError):
        refuse(tmp_path / "refused", {"a.py": text, "b.py": "import timm\n"})


def test_a_file_with_both_frameworks_is_half_converted(tmp_path: Path) -> None:
    refuse(tmp_path / "apart", {"a.py": "import torch\n", "b.py": "import mindspore\n"})
    with pytest.raises(InputError) as raised:
        refuse(tmp_path / "mixed", {"a.py": "import torch\nimport mindspore as ms\n"})
    assert raised.value.message.id == "project.mixed-frameworks"


def test_a_module_of_the_project_that_is_called_as_a_library_is_its_own(tmp_path: Path) -> None:
    files = {"a.py": "import ignite\n", "ignite/__init__.py": "import torch\n"}
    refuse(tmp_path / "own", files)
    with pytest.raises(InputError):
        refuse(tmp_path / "foreign", {"a.py": "import ignite\n"})


def test_files_that_are_left_out_do_not_count(tmp_path: Path) -> None:
    files = {"a.py": "import torch\n", "tools/b.py": "import timm\n"}
    refuse(tmp_path / "without", files, "mindspore", "tools/*")
    with pytest.raises(InputError):
        refuse(tmp_path / "with", files)


def test_other_targets_take_every_project(tmp_path: Path) -> None:
    refuse(tmp_path / "npu", {"a.py": "import timm\n"}, "torch_npu")
    with pytest.raises(InputError):
        refuse(tmp_path / "ms", {"a.py": "import timm\n"}, "mindspore")
