"""Torch's classes of tensors of one type, on any device and by other names."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = """import torch

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
"""


@pytest.mark.parametrize(
    ("cast", "dtype"),
    [
        ("torch.FloatTensor", "float32"),
        ("torch.cuda.FloatTensor", "float32"),
        ("torch.LongTensor", "int64"),
        ("torch.cuda.ByteTensor", "uint8"),
        ("Tensor", "float32"),
    ],
)
def test_a_cast_names_the_type(cast: str, dtype: str) -> None:
    assert f"y = load().astype(ms.{dtype})\n" in converted(f"{HEAD}y = load().type({cast})\n").text


def test_what_is_cast_is_a_tensor_and_so_is_the_result() -> None:
    text = converted(f"{HEAD}y = load().type(Tensor)\nprint(y.mul(2).numpy())\n").text
    assert "print(y.mul(2).asnumpy())" in text


def test_a_class_that_depends_on_the_device_makes_tensors() -> None:
    text = converted(f"{HEAD}ones = Tensor(3, 1).fill_(1.0)\n").text
    assert "Tensor = like_torch.FloatTensor if cuda else like_torch.FloatTensor\n" in text
    assert "ones = ops.full_like(Tensor(3, 1), 1.0)\n" in text


def test_classes_of_two_types_name_none() -> None:
    other = HEAD.replace("else torch.FloatTensor", "else torch.LongTensor")
    assert "receiver" in converted(f"{other}y = load().type(Tensor)\n").blockers.values()


@pytest.mark.parametrize(("kind", "written"), [("bool", "bool_"), ("int", "int64"), ("float", "float64")])
def test_a_type_of_python_is_one_of_tensors(kind: str, written: str) -> None:
    text = (
        f"import numpy as np\nimport torch\n\nx = torch.ones(3, dtype={kind})\ny = np.ones(3, dtype={kind})\n"
    )
    answer = converted(text)
    assert f"x = ops.ones(3, dtype=ms.{written})\ny = np.ones(3, dtype={kind})\n" in answer.text


FORWARD = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return {}
"""


@pytest.mark.parametrize(
    ("cast", "written"),
    [
        ("x * x.long().float()", "x * ops.stop_gradient(x).long().float()"),
        ("x * x.to(torch.int32)", "x * ops.stop_gradient(x).astype(ms.int32)"),
        ("x * x.type(torch.LongTensor)", "x * ops.stop_gradient(x).astype(ms.int64)"),
        ("x * (x > 0).int()", "x * (x > 0).int()"),
        ("x.gather(0, x.long())", "x.gather(0, x.long())"),
        ("x.argmax().int()", "x.argmax().int()"),
    ],
)
def test_no_gradient_goes_through_integers(cast: str, written: str) -> None:
    assert f"        return {written}\n" in converted(FORWARD.format(cast)).text


def test_integers_of_data_are_cast_as_they_are() -> None:
    assert "y = load().long() * 2\n" in converted(f"{HEAD}y = load().long() * 2\n").text
