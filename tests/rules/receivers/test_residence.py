"""Where a value lives, and where code computes."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.receivers.residence import Residence, computes_on_cpu, residence_of
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import receiver_of_probe

OPTIONS = options_from({"version": "2.8.0"})
IMPORTS = "import torch\nimport numpy as np\nfrom torch import nn\n"
PLACES = "batch = batch.to(device)\n"
CPU, DEVICE, UNKNOWN, ANYWHERE = Residence.CPU, Residence.DEVICE, Residence.UNKNOWN, Residence.ANYWHERE


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("torch.from_numpy(a).PROBE", CPU),
        ("torch.ones(2).PROBE", CPU),
        ("torch.ones(2).cpu().PROBE", CPU),
        ("torch.ones(2, device='cuda').to('cpu').view(-1)[0].PROBE", CPU),
        ("torch.ones(2, device='cpu').PROBE", CPU),
        ("torch.FloatTensor(2, 3).normal_().PROBE", CPU),
        ("torch.linalg.qr(torch.FloatTensor(2, 2))[0].PROBE", CPU),
        ("torch.stack([torch.ones(2), y]).PROBE", CPU),
        ("torch.tensor([1.0, 2.0]).PROBE", CPU),
        ("torch.poisson(torch.tensor([rate])).PROBE", CPU),
        ("torch.as_tensor(np.abs(v), dtype=torch.double).PROBE", CPU),
        ("x = y.cpu().T\nx.PROBE", CPU),
        ("x = y.cpu()\nx = x * 2\nx.PROBE", CPU),
        ("x = np.load(f)['a']\nx.PROBE", CPU),
        ("from torch import from_numpy\nfrom_numpy(a).PROBE", CPU),
        ("class C:\n    def f(self):\n        self.x = y.cpu()\n        self.x.PROBE", CPU),
        ("def clean(x):\n    return x[x > 0]\nclean(torch.ones(3)).PROBE", CPU),
        ("torch.zeros(2, device=y.cpu().device).PROBE", CPU),
        ("torch.from_numpy(a).cuda().PROBE", DEVICE),
        ("torch.zeros(2, device=device).PROBE", DEVICE),
        ("torch.cuda.FloatTensor(2).PROBE", DEVICE),
        ("(torch.tensor(2.0) * x.cuda()).PROBE", DEVICE),
        ("def move(x):\n    return x.cuda()\nmove(torch.ones(3)).PROBE", DEVICE),
        ("x = torch.ones(2)\nx = x.cuda()\nx.PROBE", UNKNOWN),
        ("torch.from_numpy(a).to(where).PROBE", UNKNOWN),
        ("torch.from_numpy(a).type(t).new_zeros(2, **more).PROBE", CPU),
        ("nn.Parameter(torch.ones(2)).PROBE", UNKNOWN),
        ("net(torch.ones(2)).PROBE", UNKNOWN),
        ("def f(x=y.cpu()):\n    x.PROBE", UNKNOWN),
        ("torch.set_default_device('npu')\ntorch.ones(2).PROBE", UNKNOWN),
        ("with torch.device('cuda'):\n    torch.ones(2).PROBE", UNKNOWN),
        ("def build(n):\n    return Net(n)\nbuild(3).PROBE", UNKNOWN),
        ("torch.tensor(1.0).PROBE", ANYWHERE),
        ("(1).PROBE", ANYWHERE),
    ],
)
def test_where_a_value_lives(code: str, expected: Residence) -> None:
    source = SourceFile(IMPORTS + PLACES + code)
    assert residence_of(receiver_of_probe(source), Context(source, OPTIONS)) is expected


@pytest.mark.parametrize("code", ["torch.ones(2).PROBE", "torch.tensor([1, 2]).PROBE"])
def test_of_a_file_that_places_nothing_little_is_known(code: str) -> None:
    source = SourceFile(IMPORTS + code)
    assert residence_of(receiver_of_probe(source), Context(source, OPTIONS)) is UNKNOWN


DATA = "class Speech(torch.utils.data.Dataset):\n    def __getitem__(self, i):\n        {}\n"
ITEMS = "class Pairs:\n    def __len__(self): ...\n    def __getitem__(self, i):\n        {}\n"
LAYER = "class Layer(nn.Module):\n    def {}(self, x):\n        {}\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (DATA.format("x.PROBE"), True),
        (ITEMS.format("x.PROBE"), True),
        (LAYER.format("__init__", "x.PROBE"), True),
        (LAYER.format("reset_parameters", "self.weight.PROBE"), True),
        (DATA.format("x.cuda().PROBE"), False),
        (DATA.format("y = z.to(self.device); x.PROBE"), False),
        (ITEMS.replace("Pairs:", "Layers(nn.Module):").format("x.PROBE"), False),
        (LAYER.format("forward", "x.PROBE"), False),
        (LAYER.format("__init__", "self.f = lambda: x.PROBE"), False),
        (LAYER.format("__init__", "x = x.to(device); x.PROBE"), False),
        ("def f(x):\n    x.PROBE", False),
    ],
)
def test_which_code_runs_on_the_cpu(code: str, expected: bool) -> None:
    source = SourceFile(IMPORTS + code)
    receiver = receiver_of_probe(source)
    assert computes_on_cpu(receiver, (receiver,), Context(source, OPTIONS)) is expected
