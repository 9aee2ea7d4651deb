"""Lists of parameters."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList(GIVEN)

    def forward(self, x):
        for scale in self.scales:
            x = x * scale
        return x * self.scales[0]
"""
GIVEN = "[nn.Parameter(torch.ones(3)) for _ in range(2)]"


def test_a_list_of_parameters_is_a_tuple() -> None:
    text = converted(TEXT.replace("GIVEN", GIVEN)).text
    assert "self.scales = ParameterTuple([ms.Parameter(ops.ones(3)) for _ in range(2)])\n" in text
    assert "from mindspore import nn, ops, ParameterTuple\n" in text


@pytest.mark.parametrize(
    "change", ["self.scales.append(x)", "self.scales[0] = x", "self.scales += [x]", "self.scales.extend([x])"]
)
def test_a_list_that_is_changed_later_is_that_of_the_helper(change: str) -> None:
    text = TEXT.replace("GIVEN", GIVEN).replace("        for scale", f"        {change}\n        for scale")
    answer = converted(text)
    assert f"self.scales = like_torch.ParameterList({GIVEN[0]}" in answer.text
    assert answer.parts == {"parameter_list"}


def test_an_empty_list_is_that_of_the_helper() -> None:
    assert "self.scales = like_torch.ParameterList()\n" in converted(TEXT.replace("GIVEN", "")).text


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ("nn.Linear(n, n) for n in (2, 2)", "[nn.Dense(n, n) for n in (2, 2)]"),
        ("(nn.Linear(2, 2), nn.ReLU())", "list((nn.Dense(2, 2), nn.ReLU()))"),
        ("map(make, (2, 2))", "list(map(make, (2, 2)))"),
        ("[nn.Linear(2, 2)]", "[nn.Dense(2, 2)]"),
        ("", ""),
    ],
)
def test_a_list_of_modules_is_made_of_a_list(given: str, listed: str) -> None:
    text = TEXT.replace("nn.ParameterList(GIVEN)", f"nn.ModuleList({given})")
    assert f"self.scales = nn.CellList({listed})\n" in converted(text).text
    more = text.replace(f"({given})", f"()\n        self.scales.extend({given or 'layers'})")
    assert f"self.scales.extend({listed or 'layers'})\n" in converted(more).text
