"""Parameters that are made of one tensor, and share its values in PyTorch."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ...converting import converted

HEAD = "import torch\nfrom torch import nn\n\nrows = torch.ones(4, 3)\n"
IN_A_CLASS = """\
    class Net(nn.Module):
        def __init__(self, given):
            super(Net, self).__init__()
            self.table = nn.Embedding.from_pretrained(given, freeze=False)


    student = Net(rows)
    """


def blockers(body: str) -> list[str]:
    return [*converted(HEAD + dedent(body)).blockers.values()]


SHARED = {
    "two parameters": "a = nn.Parameter(rows)\nb = nn.Parameter(rows.data)\n",
    "a frozen one": "a = nn.Embedding.from_pretrained(rows)\nb = nn.Parameter(rows)\n",
    "perhaps trained": "a = nn.Embedding.from_pretrained(rows, freeze=x)\n"
    "b = nn.Embedding.from_pretrained(rows)\n",
    "in each turn of a loop": "every = []\nfor i in range(2):\n    every.append(nn.Parameter(rows))\n",
    "in each item of a list": "every = [nn.Parameter(rows) for _ in range(2)]\n",
    "two objects of a class": IN_A_CLASS + "teacher = Net(rows)\n",
    "of one array": "import numpy as np\narray = np.ones((2, 3), 'float32')\n"
    "a = nn.Parameter(torch.from_numpy(array))\nb = nn.Parameter(torch.from_numpy(array))\n",
}
APART = {
    "one alone": "a = nn.Parameter(rows)\n",
    "copies": "a = nn.Parameter(rows.clone())\nb = nn.Parameter(rows.clone())\n",
    "both frozen": "a = nn.Embedding.from_pretrained(rows)\nb = nn.Embedding.from_pretrained(rows)\n",
    "one or the other": "if x:\n    a = nn.Parameter(rows)\nelse:\n    a = nn.Parameter(rows)\n",
    "one object of a class": IN_A_CLASS,
    "a new one in each turn": "for i in range(2):\n    own = torch.ones(2)\n    a = nn.Parameter(own)\n",
}


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED)
def test_parameters_of_one_tensor_keep_the_file(body: str) -> None:
    found = blockers(body)
    assert found
    assert set(found) == {"shared"}


@pytest.mark.parametrize("body", APART.values(), ids=APART)
def test_others_share_nothing(body: str) -> None:
    assert not blockers(body)
