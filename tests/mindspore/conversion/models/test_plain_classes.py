"""A class without a base that has a ``forward`` is no module: it keeps the name."""

from __future__ import annotations

import pytest

from tests.mindspore.conversion.converting import converted

TEXT = """import torch
from torch import nn


class Both:
    def __init__(self):
        self.net = nn.Linear(3, 2)

    def forward(self, x):
        return self.net(x)

    def loss(self, x):
        return self.forward(x).sum()
"""


def test_its_forward_keeps_its_name_and_its_calls() -> None:
    answer = converted(TEXT)
    assert answer.blockers == {}
    assert "    def forward(self, x):\n" in answer.text and "self.forward(x)" in answer.text


@pytest.mark.parametrize("base", ["ABC", "object", "metaclass=ABCMeta"])
def test_so_does_that_of_a_class_whose_bases_in_the_file_are_none_either(base: str) -> None:
    above = (
        f"from abc import ABC, ABCMeta\n\n\nclass Base({base}):\n    def forward(self, x):\n        pass\n"
    )
    answer = converted(f"{above}\n\n{TEXT.replace('class Both', 'class Both(Base)')}")
    assert answer.blockers == {}
    assert answer.text.count("def forward(self, x):") == 2


@pytest.mark.parametrize(
    "derived",
    [
        "class Net(Both, nn.Module):\n    pass\n",
        "kind = Both\n\n\nclass Net(kind, nn.Module):\n    pass\n",
        "kinds = {'both': Both}\n\n\nclass Net(kinds['both'], nn.Module):\n    pass\n",
    ],
    ids=["by its name", "by another name", "of a dictionary"],
)
def test_it_may_be_a_part_of_a_module_where_another_class_derives_from_it(derived: str) -> None:
    assert converted(f"{TEXT}\n\n{derived}").blockers["forward"] == "base"


def test_it_may_be_one_where_it_makes_nothing_itself() -> None:
    mixin = "class Mixin:\n    def forward(self, x):\n        return torch.relu(x)\n"
    assert converted(f"import torch\n\n\n{mixin}").blockers == {"forward": "base"}
