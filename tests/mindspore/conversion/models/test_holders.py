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
        ("(nn.ReLU(),) * 3", "list((nn.ReLU(),) * 3)"),
        ("{1: nn.ReLU()}.values()", "list({1: nn.ReLU()}.values())"),
        ("nn.Sequential(nn.ReLU(), nn.ReLU())", "list(nn.SequentialCell(nn.ReLU(), nn.ReLU()))"),
        ("layers", "list(layers)"),
        ("[nn.Linear(2, 2)]", "[nn.Dense(2, 2)]"),
        ("[nn.ReLU()] * 3", "[nn.ReLU()] * 3"),
        ("2 * [nn.ReLU()] + [nn.ReLU()]", "2 * [nn.ReLU()] + [nn.ReLU()]"),
        ("sorted(layers)", "sorted(layers)"),
    ],
)
def test_a_list_of_modules_is_made_of_a_list(given: str, listed: str) -> None:
    text = TEXT.replace("nn.ParameterList(GIVEN)", f"nn.ModuleList({given})")
    assert f"self.scales = nn.CellList({listed})\n" in converted(text).text
    more = text.replace(f"ModuleList({given})", f"ModuleList()\n        self.scales.extend({given})")
    assert f"self.scales.extend({listed})\n" in converted(more).text


@pytest.mark.parametrize(
    ("made", "listed"),
    [
        ("layers = []\n        layers.append(nn.ReLU())", "layers"),
        ("layers = [nn.ReLU() for _ in range(9)]\n        layers = layers[1:]", "layers"),
        ("layers = (nn.ReLU(), nn.ReLU())", "list(layers)"),
        ("layers = []\n        if more:\n            layers = make()", "list(layers)"),
    ],
)
def test_a_variable_is_a_list_where_it_is_given_lists_alone(made: str, listed: str) -> None:
    text = TEXT.replace(
        "self.scales = nn.ParameterList(GIVEN)", f"{made}\n        self.scales = nn.ModuleList(layers)"
    )
    assert f"self.scales = nn.CellList({listed})\n" in converted(text).text


def test_a_comment_before_the_items_stays() -> None:
    text = TEXT.replace(
        "nn.ParameterList(GIVEN)", "nn.ModuleList(  # two\n            (nn.ReLU(), nn.ReLU())\n        )"
    )
    made = "nn.CellList(  # two\n            list((nn.ReLU(), nn.ReLU()))\n        )\n"
    assert f"self.scales = {made}" in converted(text).text


def test_no_items_are_no_list() -> None:
    assert (
        "self.scales = nn.CellList()\n"
        in converted(TEXT.replace("nn.ParameterList(GIVEN)", "nn.ModuleList()")).text
    )
