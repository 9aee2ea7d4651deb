"""Which classes of a file define the methods that rules ask about, and what that costs."""

from __future__ import annotations

import pytest

from gpu2ascend.project.index.facts import methods
from gpu2ascend.project.index.facts.methods import methods_in

NN = "import torch.nn as nn\n"
STATE = "    def state_dict(self, x):\n        return x\n"
CUDA = "    def cuda(self):\n        return self\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"class A:\n{CUDA}", [("cuda", "m.A")]),
        (f"{NN}class A(nn.Module):\n{STATE}class B:\n{CUDA}", [("cuda", "m.B")]),
        (f"{NN}class B:\n{CUDA}class A(nn.Module):\n{STATE}", [("cuda", "m.B")]),
        (f"{NN}class A(nn.Module):\n    class B:\n        def cuda(self): ...\n{STATE}", [("cuda", "m.A.B")]),
        (f"{NN}class B:\n    class A(nn.Module):\n        def cuda(self): ...\n{CUDA}", [("cuda", "m.B")]),
        ("class A:\n    async def to(self): ...\n", [("to", "m.A")]),
        ("class A:\r\n    def to(self): ...\r\n", [("to", "m.A")]),
        ("import other as nn\nclass A(nn.Module):\n    def cuda(self): ...\n", [("cuda", "m.A")]),
        (f"{NN}class A(other.Module):\n{CUDA}", [("cuda", "m.A")]),
        (f"{NN}class B:\n#class A(nn.Module):\n{CUDA}", [("cuda", "m.B")]),
        (f"{NN}class A(nn.Module):\n{CUDA}", []),
        (f"from torch import Tensor, nn\nclass A(nn.Module, Mixin):\n{CUDA}", []),
        (f"{NN}class A(nn.Module):\n{STATE}class B(A):\n{CUDA}", []),
        ("def cuda(x):\n    return x\n", []),
        ("def f():\n    def cuda(x): ...\n", []),
        ("class A:\n    x = 1\ndef cuda(x): ...\n", []),
    ],
)
def test_methods_with_the_classes_that_define_them(text: str, found: list[tuple[str, str]]) -> None:
    assert list(methods_in("m.py", text.encode())) == found


@pytest.mark.parametrize(
    "text",
    [
        f"import torch.nn as nn\nclass A(nn.Module):\n{STATE}",
        f"from torch import nn\nclass A(nn.Module):\n{STATE}class B( nn.Module ):\n{STATE}",
        f"import torch.nn\nclass A(torch.nn.Module, B):\n{STATE}",
        "def to(x):\n    return x\n",
        "class A:\n    def other(self): ...\n    def forward(self): ...\n",
    ],
)
def test_a_file_with_modules_of_torch_alone_is_not_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(*_: object) -> None:
        raise AssertionError("the file was parsed")

    with monkeypatch.context() as patch:
        patch.setattr(methods, "SourceFile", parsed)
        assert methods_in("m.py", text.encode()) == ()
        with pytest.raises(AssertionError, match="parsed"):
            methods_in("m.py", f"class C:\n{CUDA}".encode())
