"""The tables of torch's own names: read from wheels as archives, nothing imported."""

from __future__ import annotations

import textwrap
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tools.support_tables.collect.wheel import Wheel
from tools.support_tables.releases.canonical import canonical_rows
from tools.support_tables.releases.history import History, written
from tools.support_tables.releases.release import Release

OLD = {
    "torch/__init__.py": "from .functional import *\nfrom torch._C import *\n",
    "torch/_C/_VariableFunctions.pyi": "def rfft(x): ...\ndef symeig(x): ...\ndef add(x): ...\n",
    "torch/functional.py": "__all__ = ['norm']\ndef norm(x): pass\n",
    "torch/_six.py": "inf = 1\n",
    "torch/multiprocessing/__init__.py": "from .pool import Pool\n",
    "torch/multiprocessing/pool.py": "class Pool: pass\n",
    "torch/nn/__init__.py": "from .modules import *\n",
    "torch/nn/modules/__init__.py": "from .pooling import MaxPool3d\n__all__ = ['MaxPool3d']\n",
    "torch/nn/modules/pooling.py": "class MaxPool3d: pass\n",
}
NEW = {
    "torch/__init__.py": """
        raise RuntimeError("importing this would fail")
        from ._linalg import symeig
        from .functional import *
        from . import fft, multiprocessing
    """,
    "torch/_C/_VariableFunctions.pyi": "def add(x): ...\n",
    "torch/_linalg.py": "def symeig(x):\n    '''Gone.'''\n    raise RuntimeError('is now removed')\n",
    "torch/functional.py": "__all__ = ['norm']\ndef norm(x): pass\n",
    "torch/multiprocessing/__init__.py": "from multiprocessing import *\n",
    "torch/nn/__init__.py": "from .modules import *\n",
    "torch/nn/modules/__init__.py": "from .pooling import MaxPool3d\n__all__ = ['MaxPool3d', 'New']\n",
    "torch/nn/modules/pooling.py": "class MaxPool3d: pass\nclass New: pass\n",
}


@pytest.fixture
def releases(tmp_path: Path) -> list[Release]:
    return [_release(tmp_path, "1.11.0", OLD), _release(tmp_path, "2.8.0", NEW)]


def _release(folder: Path, version: str, modules: Mapping[str, str]) -> Release:
    path = folder / f"torch-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in modules.items():
            archive.writestr(name, textwrap.dedent(text))
    return Release(Wheel(path))


def test_a_row_is_made_of_what_some_version_lacks(releases: list[Release]) -> None:
    rows = dict(History(releases).rows())

    assert rows["torch._six"] == rows["torch.rfft"] == "-2.8"
    assert rows["torch.nn.New"] == "2.8-"
    assert not rows.keys() & {"torch.add", "torch.norm", "torch.nn.MaxPool3d"}


def test_a_function_that_only_says_that_it_is_gone_is_gone(releases: list[Release]) -> None:
    assert dict(History(releases).rows())["torch.symeig"] == "-2.8"


def test_what_a_star_import_of_another_package_may_bring_counts_as_there(releases: list[Release]) -> None:
    assert "torch.multiprocessing.Pool" not in dict(History(releases).rows())


def test_the_documented_name_is_the_public_one(releases: list[Release]) -> None:
    rows = dict(canonical_rows(releases, {"torch.nn.MaxPool3d", "torch.norm"}))

    assert rows["torch.nn.modules.pooling.MaxPool3d"] == "torch.nn.MaxPool3d"
    assert rows["torch.nn.modules.MaxPool3d"] == "torch.nn.MaxPool3d"
    assert rows["torch.functional.norm"] == "torch.norm"


def _rows_of_two(folder: Path, old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    base = {"torch/__init__.py": ""}
    releases = [_release(folder, "1.5.0", {**base, **old}), _release(folder, "2.8.0", {**base, **new})]
    return dict(History(releases).rows())


def test_an_attribute_that_instances_were_given_before_the_class_annotated_it_was_there(
    tmp_path: Path,
) -> None:
    files = {"torch/nn/__init__.py": "from .modules import Module\n"}
    old = """
        class Module:
            def __init__(self):
                self.training = True
                object.__setattr__(self, 'hooks', {})
    """
    new = """
        class Module:
            training: bool
            hooks: dict
            compiled: bool
    """

    rows = _rows_of_two(
        tmp_path, {**files, "torch/nn/modules.py": old}, {**files, "torch/nn/modules.py": new}
    )

    assert [name for name in rows if name.startswith("torch.nn.Module.")] == ["torch.nn.Module.compiled"]


def test_a_class_may_have_been_in_a_module_to_which_native_code_adds_names(tmp_path: Path) -> None:
    old = {
        "torch/distributed/__init__.py": "from .c10d import *\n",
        "torch/distributed/c10d.py": "def barrier(): pass\n",
        "torch/distributed/rendezvous.py": "from torch.distributed import TCPStore\n",
    }
    new = {
        "torch/distributed/__init__.py": "from .c10d import *\n",
        "torch/distributed/c10d.py": "class ProcessGroup: pass\ndef all_gather_object(): pass\n",
    }

    rows = _rows_of_two(tmp_path, old, new)

    assert rows["torch.distributed.all_gather_object"] == "2.8-"
    assert "torch.distributed.ProcessGroup" not in rows


def test_the_types_of_tensors_have_no_rows_because_native_code_composes_their_names(tmp_path: Path) -> None:
    stub = "class HalfTensor: ...\ndef silu(x): ...\n"

    rows = _rows_of_two(tmp_path, {}, {"torch/_C/__init__.pyi": stub})

    assert "torch.silu" in rows
    assert "torch.HalfTensor" not in rows


@pytest.mark.parametrize(
    ("having", "text"),
    [
        ([(1, 0), (1, 1)], "-1.2"),
        ([(1, 2), (2, 0)], "1.2-"),
        ([(1, 1), (2, 0)], "1.1-1.2,2.0-"),
        ([(1, 0), (1, 1), (1, 2), (2, 0)], "-"),
    ],
)
def test_runs_of_releases(having: list[tuple[int, int]], text: str) -> None:
    assert written(having, [(1, 0), (1, 1), (1, 2), (2, 0)]) == text


def test_a_function_that_raises_hides_no_module_of_its_name(tmp_path: Path) -> None:
    module = {"torch/autograd/variable.py": "class Variable: pass\n", "torch/__init__.py": ""}
    raising = "def variable(x):\n    raise RuntimeError('deprecated, use torch.tensor')\n"
    old = {**module, "torch/autograd/__init__.py": "from .variable import Variable\n"}
    new = {**module, "torch/autograd/__init__.py": f"from .variable import Variable\n{raising}"}
    found = [_release(tmp_path, "1.11.0", old), _release(tmp_path, "2.8.0", new)]
    assert not [name for name, _ in History(found).rows() if name.startswith("torch.autograd.variable")]


def test_a_name_that_a_package_gives_to_another_module_has_what_that_has(tmp_path: Path) -> None:
    old = {
        "torch/__init__.py": "",
        "torch/nn/__init__.py": "",
        "torch/nn/rnn.py": "class Cell: pass\nclass Gone: pass\n",
        "torch/_prims/__init__.py": "",
        "torch/_prims/utils.py": "class Kind: pass\n",
    }
    new = {
        "torch/__init__.py": "",
        "torch/ao/__init__.py": "",
        "torch/ao/rnn.py": "class Cell: pass\n",
        "torch/nn/__init__.py": "from torch.ao import rnn\n",
        "torch/nn/rnn.py": "",
        "torch/_prims/__init__.py": "import torch._common as utils\nfrom torch.ao import nothing\n",
        "torch/_common.py": "class Kind: pass\n",
    }
    found = [_release(tmp_path, "1.11.0", old), _release(tmp_path, "2.8.0", new)]
    rows = dict(History(found).rows())
    assert "torch.nn.rnn.Cell" not in rows
    assert "torch._prims.utils" not in rows
    assert rows["torch.nn.rnn.Gone"] == "-2.8"
