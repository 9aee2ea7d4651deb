"""Of which of PyTorch's classes a value is an instance, and when nobody can tell."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.inference.instances import Instances
from gpu2ascend_rules.text.source_file import SourceFile

IMPORTS = (
    "import torch\nimport torch as th\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    "import torch.distributed as dist\nfrom torch import Tensor\nfrom torch.utils.data import DataLoader\n"
    "from typing import Optional, List\nimport numpy as np\nfrom lib import make, Base\n"
)


def class_of_probe(code: str) -> str | None:
    """The class of the receiver of ``.PROBE`` in a file with the usual imports."""
    source = SourceFile((IMPORTS + code).replace("PROBE", "unflatten"))  # which tensors have
    (identifier,) = source.identifiers("unflatten")
    assert identifier.parent is not None
    receiver = identifier.parent.child_by_field_name("object")
    assert receiver is not None
    found = Instances(source).of(receiver)
    return found.class_name if found is not None else None


TENSOR = "torch.Tensor"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("th.zeros(2).PROBE", TENSOR),
        ("x = F.relu(y)\nx.PROBE", TENSOR),
        ("(torch.ones(2) + y).PROBE", TENSOR),
        ("x = torch.ones(2)\nx = x.view(-1)[0] * 2\nx.PROBE", TENSOR),
        ("x = torch.ones(2)\nx += 1\nx.PROBE", TENSOR),
        ("a, b = torch.chunk(y, 2)\na.PROBE", TENSOR),
        ("x, y = torch.ones(1), 3\nx.PROBE", TENSOR),
        ("x = torch.ones(1) if c else torch.zeros(1)\nx.PROBE", TENSOR),
        ("x = None\nif c:\n    x = torch.ones(1)\nx.PROBE", TENSOR),
        ("def f(x: torch.Tensor):\n    x.PROBE", TENSOR),
        ("def f(x: Optional[Tensor] = None):\n    x.PROBE", TENSOR),
        ("def f(x: 'th.Tensor'):\n    x.PROBE", TENSOR),
        ("def f(x: Tensor | None):\n    x.PROBE", TENSOR),
        ("def f() -> Tensor:\n    return g()\nf().PROBE", TENSOR),
        ("def f(y):\n    return torch.ones(2)\nf(1).PROBE", TENSOR),
        ("nn.Parameter(y).PROBE", "torch.nn.Parameter"),
        ("nn.Linear(1, 1).weight.PROBE", "torch.nn.Parameter"),
        ("net = nn.Conv2d(1, 1, 1)\nnet.to(d).eval().PROBE", "torch.nn.Conv2d"),
        ("net = nn.Conv2d(1, 1, 1)\nnet(y).PROBE", TENSOR),
        ("layers = nn.ModuleList([])\nfor layer in layers:\n    layer.PROBE", "torch.nn.Module"),
        ("net = nn.Linear(1, 1)\nfor n, p in net.named_parameters():\n    p.PROBE", "torch.nn.Parameter"),
        ("net = nn.Linear(1, 1)\np = next(net.parameters())\np.PROBE", "torch.nn.Parameter"),
        ("class N(nn.Module): pass\ndef f(n: N):\n    n.PROBE", "torch.nn.Module"),
        ("class N(nn.Module): pass\ndef f(n: 'N'):\n    n.PROBE", "torch.nn.Module"),
        ("class N(nn.Module): pass\ndef f(n: Optional[N] = None):\n    n.PROBE", "torch.nn.Module"),
        ("class N(nn.Module): pass\ndef f(n: N | None):\n    n.PROBE", "torch.nn.Module"),
        ("torch.optim.AdamW(ps).PROBE", "torch.optim.AdamW"),
        ("dist.new_group([0]).PROBE", "torch.distributed.ProcessGroup"),
        ("w = dist.all_reduce(t, async_op=True)\nw.PROBE", "torch.distributed.Work"),
        ("dist.TCPStore('h', 1).PROBE", "torch.distributed.TCPStore"),
        ("loader = DataLoader(d)\nloader.PROBE", "torch.utils.data.DataLoader"),
        ("for i, (x, y) in enumerate(DataLoader(d)):\n    y.PROBE", TENSOR),
        ("loader = DataLoader(d)\nfor x, y in tqdm(loader):\n    x.PROBE", TENSOR),
        ("for p in nn.Linear(1, 1).buffers():\n    p.PROBE", TENSOR),
        ("for m in nn.Linear(1, 1).children():\n    m.PROBE", "torch.nn.Module"),
        ("class N(nn.Module): pass\nN().to(1).PROBE", "torch.nn.Module"),
        ("class N(nn.Module):\n    def forward(self, x): return torch.ones(1)\nN()(y).PROBE", TENSOR),
    ],
)
def test_what_a_file_proves(code: str, expected: str) -> None:
    assert class_of_probe(code) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "    def __init__(self):\n        self.a = nn.ReLU()\n    def run(self):\n        self.a.PROBE",
            "torch.nn.ReLU",
        ),
        ("    def forward(self, x):\n        x.PROBE", TENSOR),
        ("    def forward(self, x):\n        x = x.view(1)\n        x.PROBE", TENSOR),
        ("    def forward(self, x, mask=None):\n        mask.PROBE", TENSOR),
        ("    def run(self):\n        self.PROBE", "torch.nn.Module"),
        (
            "    def __init__(self):\n        self.register_buffer('a', make())\n"
            "    def run(self):\n        self.a.PROBE",
            TENSOR,
        ),
        (
            "    def __init__(self, b):\n        self.a: Tensor = b\n"
            "    def run(self):\n        self.a.PROBE",
            TENSOR,
        ),
        ("    a: nn.Linear\n    def run(self):\n        self.a.PROBE", "torch.nn.Linear"),
        ("    def run(self):\n        self.a = self.b = nn.ReLU()\n        self.a.PROBE", "torch.nn.ReLU"),
        (
            "    def __init__(self, a: Tensor):\n        self.b, self.a = 1, a\n"
            "    def run(self):\n        self.a.PROBE",
            TENSOR,
        ),
    ],
)
def test_what_a_module_proves(body: str, expected: str) -> None:
    assert class_of_probe(f"class Net(nn.Module):\n{body}") == expected


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    x.PROBE",
        "x = torch.ones(1)\nx = g()\nx.PROBE",
        "x = make()\nx.PROBE",
        "torch.max(x, 1).PROBE",
        "def f(x: Tensor | List[Tensor]):\n    x.PROBE",
        "for x in DataLoader(d):\n    x.PROBE",
        "for x, y in DataLoader(d):\n    x['key']\n    x.PROBE",
        "class A(Base):\n    def f(self):\n        self.PROBE",
        "class A(nn.Module, Base):\n    def f(self):\n        self.PROBE",
        "class A(nn.Module):\n    def forward(self, x):\n        x.keys()\n        x.PROBE",
        "class A(nn.Module):\n    def forward(self, x):\n        x['ids']\n        x.PROBE",
        "class A(nn.Module):\n    def forward(self, x):\n        x(1)\n        x.PROBE",
        "class A(nn.Module):\n    def forward(self, *x):\n        x.PROBE",
        "class A(nn.Module):\n    def other(self, x):\n        x.PROBE",
        "class A(nn.Module):\n    def f(self):\n        self.a = nn.ReLU()\n        self.a = g()\n"
        "        self.a.PROBE",
        "class A(nn.Module):\n    def f(self):\n        a: Tensor = g()\n        self.a.PROBE",
        "class A(nn.Module):\n    def f(self):\n        self.a = nn.ReLU()\n        self.a, b = g()\n"
        "        self.a.PROBE",
        "class A(nn.Module):\n    def f(self):\n        self.register_buffer('b', x)\n        self.a.PROBE",
        "class A(Base): pass\ndef f(a: A):\n    a.PROBE",
        "class A(nn.Module):\n    def f(self):\n        b: Tensor = self.a\n        self.a.PROBE",
        "next(x).PROBE",
        "nn.Sequential(nn.ReLU())(x).PROBE",
        "nn.LSTM(1, 1)(x).PROBE",
        "@wrap\ndef f():\n    return torch.ones(1)\nf().PROBE",
        "x = x.view(1)\nx.PROBE",
        "make.PROBE",
        "a, b = y\na.PROBE",
        "class N(nn.Module):\n    def to(self, d): return make()\nN().to(1).PROBE",
        "class N(nn.Module):\n    def forward(self, x): return make()\nN()(y).PROBE",
        "class N(nn.Module):\n    def other(self, x): return torch.ones(1)\nN()(y).PROBE",
        "x = nn.Linear(1, 1)\nx = x(y)\nx.PROBE",
        "x = nn.Linear(1, 1)\nx = x.forward(y)\nx.PROBE",
        "for p in y.parameters():\n    p.PROBE",
        "for p in nn.Linear(1, 1).named_parameters():\n    p.PROBE",
        "for n, p in nn.Linear(1, 1).named_parameters():\n    n.PROBE",
        "for n, p in nn.Linear(1, 1).parameters():\n    p.PROBE",
        "(make() - 1).PROBE",
    ],
)
def test_what_nobody_can_tell(code: str) -> None:
    assert class_of_probe(code) is None


@pytest.mark.parametrize(
    "code",
    [
        "[1].PROBE",
        "x = {}\nx.PROBE",
        "def f(x: int):\n    x.PROBE",
        "x = 'a'\nx.PROBE",
        "for i, x in enumerate(ys):\n    i.PROBE",
        "x = a is b\nx.PROBE",
        "(a in torch.ones(2)).PROBE",
        "(1 - 2).PROBE",
    ],
)
def test_what_is_certainly_something_else(code: str) -> None:
    assert class_of_probe(code) == ""
