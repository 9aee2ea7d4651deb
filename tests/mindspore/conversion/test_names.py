"""Names of torch that make a weight of given values, and methods of its classes."""

from __future__ import annotations

import pytest

from .converting import converted

GIVEN = """\
import torch
from torch import nn

layer = nn.Embedding.from_pretrained(torch.ones(3, 2), freeze=False)
"""
SHARED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Embedding(3, 2)
        self.second = nn.Embedding.from_pretrained(self.first.weight)

    def forward(self, x):
        return self.first(x) + self.second(x)
"""
MADE = "nn.Embedding.from_pretrained(self.first.weight)"


def test_an_embedding_takes_the_rows_that_it_is_given() -> None:
    assert "layer = like_torch.from_pretrained(ops.ones((3, 2)), freeze=False)\n" in converted(GIVEN).text


def test_a_method_of_a_class_is_not_taken_for_the_class() -> None:
    assert converted(
        GIVEN.replace("nn.Embedding.from_pretrained(", "nn.Embedding.reset_parameters(")
    ).blockers


@pytest.mark.parametrize(
    "made", [MADE, "nn.Parameter(self.first.weight.data)", "nn.Parameter(self.first.weight.detach())"]
)
def test_two_parameters_that_are_one_in_torch_are_refused(made: str) -> None:
    assert converted(SHARED.replace(MADE, made)).blockers == {made: "shared"}


@pytest.mark.parametrize(
    "made", ["nn.Embedding.from_pretrained(self.first.weight.clone())", "nn.Embedding.from_pretrained(rows)"]
)
def test_other_values_are_its_own(made: str) -> None:
    text = SHARED.replace(MADE, made).replace("__init__(self)", "__init__(self, rows: torch.Tensor)")
    assert not converted(text).blockers
