"""An element that several numbers in tensors pick has no gradient there; one picked step by step has."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.randn(4, 4))

    def forward(self, x: torch.Tensor, tags: torch.Tensor):
        total = x.sum()
        for i in range(1, 3):
            total = total + {part}
        return total
"""


def written(part: str) -> str:
    answer = converted(TEXT.format(part=part))
    assert answer.blockers == {}
    return answer.text.partition("total = total + ")[2].partition("\n")[0]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("self.scores[tags[i], tags[i - 1]]", "like_torch.picked(self.scores, tags[i], tags[i - 1])"),
        ("x[i, tags[i]]", "like_torch.picked(x, i, tags[i])"),
        ("self.scores[2, tags[0]]", "like_torch.picked(self.scores, 2, tags[0])"),
        ("self.scores[-1, tags[i]]", "like_torch.picked(self.scores, -1, tags[i])"),
        ("self.scores[tags[i] - 1, tags[i]]", "like_torch.picked(self.scores, tags[i] - 1, tags[i])"),
    ],
)
def test_elements_that_tensors_pick_by_number_are_picked_one_by_one(part: str, expected: str) -> None:
    assert written(part) == expected


@pytest.mark.parametrize(
    "part", ["x[i, i - 1]", "x[0, 1]", "x[tags].sum()", "x[0, 1:].sum()", "x[i, x.shape[0] - 1]"]
)
def test_other_parts_stay(part: str) -> None:
    assert written(part) == part
