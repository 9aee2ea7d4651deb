"""Objects that hold tensors, have ``cuda()`` and ``to()``, and no ``npu()``."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
HEAD = "import torch\nfrom tensordict import TensorDict\nfrom torch_geometric.data import Data\n"


class UsesTensorDict(Standalone):
    """A project in which another file imports tensordict."""

    def may_import(self, module: str) -> bool:
        return module == "tensordict"


def after(code: str, project: Standalone | None = None) -> str:
    return apply_fixes(SourceFile(code), OPTIONS, project or Standalone()).text


RECEIVERS = {
    "what a constructor makes": "x = TensorDict(d, [2])\nx.cuda()\n",
    "what a method of the class makes": "x = TensorDict.from_module(m)\nx.cuda()\n",
    "an annotated parameter": "def f(x: TensorDict):\n    x.cuda()\n",
    "an optional one": "def f(x: TensorDict | None = None):\n    x.cuda()\n",
    "what an annotated function returns": "def make() -> Data: ...\nx = make()\nx.cuda()\n",
    "what a function returns": "def make():\n    return Data(x=1)\nx = make()\nx.cuda()\n",
    "a class of the file that tensordict decorates": (
        "from tensordict import tensorclass\n@tensorclass\nclass B:\n    y: int\nx = B(y=1)\nx.cuda()\n"
    ),
    "a class of the file that derives from one": "class Graph(Data):\n    pass\nx = Graph()\nx.cuda()\n",
    "an attribute": "class A:\n    def __init__(self):\n        self.x = Data()\n        self.x.cuda()\n",
    "a variable of which nothing is known": "def f(x):\n    x.cuda()\n",
}


@pytest.mark.parametrize("code", RECEIVERS.values(), ids=RECEIVERS)
def test_each_moves_by_to(code: str) -> None:
    assert "x.to('npu')\n" in after(HEAD + code)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "'npu'"),
        ("None", "'npu'"),
        ("non_blocking=True", "'npu', non_blocking=True"),
        ("0", "torch.device('npu', 0)"),
        ("'cuda:1'", "'npu:1'"),
        ("torch.device('cuda')", "torch.device('npu')"),
    ],
)
def test_to_always_gets_a_device(given: str, expected: str) -> None:
    assert f"x.to({expected})\n" in after(f"{HEAD}x = TensorDict(d, [2])\nx.cuda({given})\n")


def test_tensors_and_modules_keep_the_shorter_form() -> None:
    code = "x = torch.ones(2).cuda()\nm = torch.nn.Linear(1, 1).cuda()\n"
    assert after(HEAD + code).count(".npu()") == 2


def test_an_unknown_object_may_be_a_container_of_another_file() -> None:
    code = "import torch\ndef step(batch):\n    return batch.cuda()\n"
    assert "batch.npu()" in after(code)
    assert "batch.to('npu')" in after(code, UsesTensorDict())


def test_an_object_of_a_class_with_its_own_cuda_is_asked_as_before() -> None:
    code = "class Box(Data):\n    def cuda(self):\n        return self\nBox().cuda()\n"
    assert "Box().cuda()" in after(HEAD + code)


class HasBox(Standalone):
    """A project with a class ``Box`` of another file that has a method ``cuda``."""

    def has_module(self, importer_path: str, module: str) -> bool:
        return module == "box"

    def defines_method(self, name: str) -> frozenset[str]:
        return frozenset({"box.Box"} if name == "cuda" else ())


def test_so_is_one_of_a_class_of_another_file() -> None:
    code = "import torch\nfrom box import Box, Other\nb = Box()\nb.cuda()\nBox().cuda()\nOther().cuda()\n"
    assert after(code, HasBox()) == code
    asked = [finding for finding in check(SourceFile(code), OPTIONS, HasBox()) if finding.code == "NPU110"]
    assert [code.encode()[finding.start : finding.end] for finding in asked] == [b"Other().cuda"]


@pytest.mark.parametrize(
    "code", ["x = TensorDict(d, [2])\n", "def f(x: TensorDict):\n    return x.is_cuda\n"]
)
def test_a_tensordict_is_asked_for_its_device(code: str) -> None:
    changed = after(f"{HEAD}{code}y = x.is_cuda\n" if "return" not in code else HEAD + code)
    assert "(x.device is not None and x.device.type == 'npu')" in changed


def test_data_without_a_device_are_reported() -> None:
    code = f"{HEAD}x = Data(x=1)\ny = x.is_cuda\n"
    keys = [finding.message.id for finding in check(SourceFile(code), OPTIONS) if finding.code == "NPU111"]
    assert keys == ["NPU111.container"]
    assert "x.is_cuda" in after(code)
