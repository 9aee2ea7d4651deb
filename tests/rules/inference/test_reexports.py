"""A project's own modules stand between a file and PyTorch; a view that knows them is asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.inference.reexports import (
    brought,
    meaning_in,
    names_bound_to_torch,
    possible_names,
    reexport_view,
)
from gpu2ascend_rules.model.project.project_view import STANDALONE, Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU101"]})


class Project(Standalone):
    """One module, ``compat``, that has ``torch`` under a name of its own."""

    reexported_names = frozenset({"pytorch"})

    def torch_name_of(self, importer_path: str, imported: str) -> str | None:
        return "torch" if imported.endswith("compat.pytorch") else None

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        return {"pytorch": "torch"} if module.endswith("compat") else {}


class OnlyNames(Standalone):
    """Knows half of what is needed."""

    reexported_names = frozenset({"pytorch"})


def apis(text: str, project: Standalone) -> list[str | None]:
    return [item.api for item in check(SourceFile(text, "a.py"), OPTIONS, project)]


def test_a_view_that_can_answer_is_asked() -> None:
    project = Project()
    assert reexport_view(project) is project


@pytest.mark.parametrize("project", [STANDALONE, OnlyNames()])
def test_a_view_that_cannot_is_not(project: Standalone) -> None:
    assert reexport_view(project) is None
    assert reexport_view(Project()) is not None


@pytest.mark.parametrize(
    "text",
    [
        "from compat import pytorch\npytorch.cuda.init()\n",
        "from compat import pytorch as t\nt.cuda.init()\n",
        "from .compat import pytorch\npytorch.cuda.init()\n",
        "from compat import *\npytorch.cuda.init()\n",
    ],
)
def test_a_name_that_comes_by_a_module_of_the_project_is_torchs(text: str) -> None:
    assert apis(text, Project()) == ["torch.cuda.init"]
    assert apis(text, STANDALONE) == []


@pytest.mark.parametrize(
    "text", ["from other import pytorch\npytorch.cuda.init()\n", "from compat import x\nx.cuda.init()\n"]
)
def test_another_name_is_not(text: str) -> None:
    assert apis(text, Project()) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import torch\n", {"torch"}),
        ("import torch as th\n", {"torch", "th"}),
        ("import torch.nn.functional as F\n", {"torch", "F"}),
        ("from torch import nn, Tensor\n", {"nn", "Tensor"}),
        ("from torch import nn as layers, optim as o  # both\n", {"layers", "o"}),
        ("from torch.nn import (\n    Linear,  # one\n    ReLU as R,\n)\n", {"Linear", "R"}),
        ("import torch\n\nTensor = torch.Tensor\nx = torch.ones(2)\n", {"torch", "Tensor"}),
        ("import numpy as np\nx = np.ones(2)\n", set()),
        ("import numpy as np  # as torch has it\n", set()),
    ],
)
def test_the_names_that_a_file_binds_to_torch_are_found_without_parsing(text: str, names: set[str]) -> None:
    assert names_bound_to_torch(text.encode()) == names


ALL = {
    "one list": ("__all__ = ['nn', \"optim\"]\n", ["nn"]),
    "a tuple over lines": ("__all__ = (\n    'nn',  # layers\n    'optim',\n)\n", ["nn"]),
    "an empty list": ("__all__ = []\n", []),
    "none": ("from torch import nn, Tensor\n", ["nn", "Tensor"]),
    "a list that grows": ("__all__ = ['nn']\n__all__ += other.__all__\n", ["nn", "Tensor"]),
    "what a call gives": ("__all__ = sorted(names)\n", ["nn", "Tensor"]),
    "a list within a block": ("if x:\n    __all__ = ['nn']\n", ["nn", "Tensor"]),
}


@pytest.mark.parametrize("name", ALL)
def test_a_star_brings_what_all_lists_and_everything_where_that_is_no_plain_list(name: str) -> None:
    text, expected = ALL[name]
    assert brought(text.encode(), ["nn", "Tensor"]) == expected


def test_a_module_may_have_what_it_names_and_whatever_a_star_brings() -> None:
    names = frozenset({"nn", "optim"})
    assert possible_names(b"from torch import nn\n", names) == ["nn"]
    assert possible_names(b"from torch import *\n", names) == ["nn", "optim"]
    assert possible_names(b"from torch import inner\n", names) == []


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("import torch\n", "torch"),
        ("import torch as pytorch\n", None),
        ("from lib import torch\n", None),
        ("torch = load()\n", None),
        ("if x:\n    import torch\nelse:\n    torch = make()\n", None),
        ("def f():\n    import torch\n", None),
    ],
)
def test_a_name_means_what_its_module_certainly_binds_it_to(text: str, meaning: str | None) -> None:
    assert meaning_in(SourceFile(text), "torch") == meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("from torch import nn\n", "torch.nn"),
        ("import torch.nn as nn\n", "torch.nn"),
        ("import torch\nnn = torch.nn\n", "torch.nn"),
        ("from torchvision import nn\n", None),
        ("from torch import cuda as nn\n", None),
        ("import torch.backends.cudnn as nn\n", None),
    ],
)
def test_names_that_are_migrated_themselves_pass_nothing_on(text: str, meaning: str | None) -> None:
    assert meaning_in(SourceFile(text), "nn") == meaning
