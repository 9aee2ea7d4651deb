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


LATER = [
    "import torch\n\n\ndef f():\n    import timm\n",
    "import torch\n\ntry:\n    import timm\nexcept ImportError:\n    timm = None\n",
    "import importlib\n\nmodels = importlib.import_module('timm.models')\n",
    'def f():\n    return __import__("timm")\n',
]
LISTS = [
    ("requirements.txt", "torch\ntimm==0.9.2\n"),
    ("requirements/train.txt", "timm\n"),
    ("pyproject.toml", '[project]\ndependencies = ["torch", "timm>=0.6"]\n'),
    ("setup.py", "setup(install_requires=['timm'])\n"),
    ("environment.yml", "dependencies:\n  - pip:\n    - timm\n"),
]


def is_refused(tmp_path: Path, files: dict[str, str]) -> bool:
    try:
        refuse(tmp_path, files)
    except InputError:
        return True
    return False


@pytest.mark.parametrize("text", LATER)
@pytest.mark.parametrize(("name", "content"), LISTS)
def test_an_import_that_comes_later_counts_where_the_library_is_required(
    tmp_path: Path, text: str, name: str, content: str
) -> None:
    assert is_refused(tmp_path / "listed", {"a.py": text, name: content})
    assert not is_refused(tmp_path / "another", {"a.py": text, name: content.replace("timm", "timmy")})
    assert not is_refused(tmp_path / "unused", {"a.py": "import torch\n", name: content})


def test_a_remark_requires_nothing(tmp_path: Path) -> None:
    assert not is_refused(tmp_path / "remark", {"a.py": LATER[0], "requirements.txt": "torch  # or timm\n"})
    assert is_refused(tmp_path / "listed", {"a.py": LATER[0], "requirements.txt": "timm  # models\n"})


def test_what_the_script_that_is_started_imports_later_is_needed(tmp_path: Path) -> None:
    start = "\n\nif __name__ == '__main__':\n    f()\n"
    assert is_refused(tmp_path / "script", {"train.py": LATER[0] + start})
    assert not is_refused(tmp_path / "module", {"train.py": "import torch\n" + start, "a.py": LATER[0]})
    assert not is_refused(tmp_path / "optional", {"train.py": LATER[1] + start})


def test_a_text_that_tells_of_an_import_is_none(tmp_path: Path) -> None:
    told = '"""\n    import timm\n"""\n# __import__("timm")\nimport torch\n'
    listed = {"requirements.txt": "timm\n"}
    assert not is_refused(tmp_path / "told", {"a.py": told, **listed})
    assert is_refused(tmp_path / "done", {"a.py": f"{told}if True:\n    import timm\n", **listed})
