"""A file of PyTorch as one of MindSpore: all of it, or nothing."""

from __future__ import annotations

from textwrap import dedent

import pytest

from .converting import converted

NETWORK = dedent(
    """\
    import math

    import torch
    import torch.nn as nn
    import torch.nn.functional as F


    class Net(nn.Module):
        def __init__(self, classes: int = 10):
            super(Net, self).__init__()
            self.body = nn.Sequential(
                nn.Conv2d(3, 8, 3, padding=1),  # keeps the size
                nn.BatchNorm2d(8),
                nn.ReLU(inplace=True),
            )
            self.fc = nn.Linear(8, classes)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.body(x)
            x = F.adaptive_avg_pool2d(x, 1).view(x.size(0), -1)
            return F.log_softmax(self.fc(x), dim=1) * math.sqrt(2)
    """
)
CELL = dedent(
    """\
    import math

    from mindspore import nn, ops, Tensor


    class Net(nn.Cell):
        def __init__(self, classes: int = 10):
            super(Net, self).__init__()
            self.body = nn.SequentialCell(
                nn.Conv2d(3, 8, 3, pad_mode='pad', padding=1, has_bias=True),  # keeps the size
                nn.BatchNorm2d(8),
                nn.ReLU(),
            )
            self.fc = nn.Dense(8, classes)

        def construct(self, x: Tensor) -> Tensor:
            x = self.body(x)
            x = ops.adaptive_avg_pool2d(x, 1).view(x.shape[0], -1)
            return ops.log_softmax(self.fc(x), axis=1) * math.sqrt(2)
    """
)


def test_a_module_becomes_a_cell_and_its_comments_stay() -> None:
    assert converted(NETWORK).text == CELL


def test_what_was_converted_has_nothing_left_to_convert() -> None:
    assert converted(CELL).text == CELL


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("y = torch.svd(x)", "torch.svd(x)", "no-target"),
        ("y = torch.cat([x], out=w)", "torch.cat([x], out=w)", "argument"),
        ("y = torch.cat(*x)", "torch.cat(*x)", "arguments"),
        ("y = unknown.std()", "unknown.std", "receiver"),
        ("torch.zeros(3).add_(1)", "torch.zeros(3).add_(1)", "no-target"),
        ("layer = torch.nn.Conv2d", "torch.nn.Conv2d", "class"),
        ("ops = 3\ny = torch.zeros(3)", "import torch", "taken"),
    ],
)
def test_one_place_without_counterpart_keeps_the_whole_file(line: str, place: str, reason: str) -> None:
    text = f"import torch\n\n{line}\nz = torch.zeros(3)\n"
    answer = converted(text)
    assert answer.text == text
    assert answer.blockers.get(place) == reason


def test_a_class_may_be_handed_on_where_every_call_means_the_same() -> None:
    text = "import torch.nn as nn\n\nlayer = nn.BatchNorm2d\nbn = layer(8)\n"
    assert converted(text).text == "from mindspore import nn\n\nlayer = nn.BatchNorm2d\nbn = layer(8)\n"
    given = text.replace("layer(8)", "layer(8, momentum=0.01)")
    assert converted(given).text == given


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = torch.std(x, 1)", "y = ops.std(x, axis=1, ddof=1)"),
        ("y = torch.cat([torch.zeros(3), x], dim=0)", "y = ops.cat([ops.zeros(3), x], axis=0)"),
        ("y = torch.tensor([1, 2], dtype=torch.long)", "y = Tensor([1, 2], dtype=ms.int64)"),
        ("y = torch.full((2,), 0.5)", "y = ops.full((2,), 0.5, dtype=ms.float32)"),
        ("torch.manual_seed(3)", "ms.set_seed(3)"),
    ],
)
def test_a_call_is_written_as_the_table_says(before: str, after: str) -> None:
    text = converted(f"import torch\n\n{before}\n").text
    assert text.partition("\n\n")[2] == f"{after}\n"


def test_a_method_is_converted_where_its_receiver_is_a_tensor_for_certain() -> None:
    text = "import torch\n\nx = torch.zeros(3)\ny = x.std()\n"
    assert "y = x.std(ddof=1)" in converted(text).text
    unknown = "import torch\n\nx = load()\ny = x.std()\nz = torch.zeros(3)\n"
    assert converted(unknown).text == unknown
