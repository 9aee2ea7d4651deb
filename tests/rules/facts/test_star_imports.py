"""Names that ``from torch.nn import *`` brings."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def unsupported(code: str) -> list[tuple[str | None, Severity]]:
    options = options_from({"version": "2.8.0", "select": ["NPU001"]})
    return [(item.api, item.severity) for item in check(SourceFile(code), options)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from torch.nn import *\nlayer = Sequential(RReLU())\n", "torch.nn.RReLU"),
        ("from torch.nn import *\nclass Own(RReLU):\n    pass\n", "torch.nn.RReLU"),
        ("from torch.func import *\ny = jacfwd(x)\n", "torch.func.jacfwd"),
        ("import os\nfrom torch import *\ny = poisson(x)\n", "torch.poisson"),
        (
            "from torch.nn import *\nclass Net(Module):\n    def forward(self, x):\n        x.to_dense()\n",
            "torch.Tensor.to_dense",
        ),
        ("from mylib import *\nfrom torch.nn import *\nlayer = RReLU()\n", "torch.nn.RReLU"),
    ],
)
def test_a_name_of_a_star_import_is_found(code: str, expected: str) -> None:
    assert unsupported(code) == [(expected, Severity.ERROR)]


@pytest.mark.parametrize(
    "code",
    [
        "from torch.nn import *\nclass RReLU:\n    pass\nlayer = RReLU()\n",
        "from torch.nn import *\nfrom mylib import RReLU\nlayer = RReLU()\n",
        "from torch.nn import *\nx.RReLU()\nf(RReLU=1)\n",
        "from mylib import *\nlayer = RReLU()\n",
        "import torch.nn\nlayer = RReLU()\n",
    ],
)
def test_a_name_from_elsewhere_is_not(code: str) -> None:
    assert unsupported(code) == []


def test_a_later_star_import_of_another_module_leaves_it_open() -> None:
    found = unsupported("from torch.nn import *\nfrom mylib import *\nlayer = RReLU()\n")
    assert found == [("torch.nn.RReLU", Severity.INFORMATION)]
