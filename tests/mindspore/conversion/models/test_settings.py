"""What layers were made with, as a program reads and sets it."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.head = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
        self.in_features = 3


net = Net()
norm = nn.BatchNorm2d(3)
words = nn.Embedding(5, 6)
"""


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("net.fc.in_features", "net.fc.in_channels"),
        ("words.embedding_dim", "words.embedding_size"),
        ("norm.num_features", "norm.num_features"),
        ("net.head[0].out_features", "net.head[0].out_channels"),
        ("net.in_features", "net.in_features"),
        ("args.in_features", "args.in_features"),
    ],
)
def test_a_setting_is_read_under_its_name_there(read: str, written: str) -> None:
    answer = converted(f"{HEAD}print({read})\n")
    assert not answer.blockers
    assert answer.text.endswith(f"print({written})\n")


@pytest.mark.parametrize(
    "code",
    [
        "norm.momentum = 0.01",
        "print(norm.momentum)",
        "for m in net.modules():\n    if isinstance(m, (nn.Dropout, nn.Dropout2d)):\n        m.p = 0.1",
    ],
    ids=["set", "another value there", "of a class that is asked for"],
)
def test_a_setting_that_means_something_else_keeps_the_file(code: str) -> None:
    assert [*converted(f"{HEAD}{code}\n").blockers.values()] == ["setting"]
