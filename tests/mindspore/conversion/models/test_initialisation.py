"""Calls that set initial weights."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch.nn as nn\nfrom torch.nn import init\n\nlayer = nn.Linear(3, 4)\nnorm = nn.LayerNorm(4)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("nn.init.normal_(layer.weight)", "Normal(mean=0.0, sigma=1.0)"),
        ("nn.init.normal_(layer.weight, 0.0, 0.02)", "Normal(mean=0.0, sigma=0.02)"),
        ("nn.init.normal_(layer.weight, std=2 / 3)", "Normal(mean=0.0, sigma=2 / 3)"),
        ("nn.init.normal_(layer.weight, std=2, mean=1)", "Normal(sigma=2, mean=1)"),
        ("init.zeros_(layer.weight)", "'zeros'"),
        ("init.constant_(layer.weight, 1)", "Constant(1)"),
        ("init.xavier_uniform_(layer.weight, gain=2.0)", "XavierUniform(gain=2.0)"),
        ("init.kaiming_normal_(layer.weight, mode='fan_out')", "HeNormal(mode='fan_out')"),
        (
            "init.trunc_normal_(layer.weight, std=s)",
            "TruncatedNormal(mean=0.0, sigma=s, a=-2.0 / s, b=2.0 / s)",
        ),
        ("init.uniform_(layer.weight, -0.1, 0.1)", "Uniform(0.1)"),
        ("layer.weight.data.normal_(0, 0.01)", "Normal(mean=0, sigma=0.01)"),
        ("layer.weight.data.zero_()", "'zeros'"),
        ("layer.weight.data.fill_(0.5)", "Constant(0.5)"),
    ],
)
def test_an_initializer_makes_the_data(before: str, after: str) -> None:
    line = converted(f"{HEAD}{before}\n").text.rstrip("\n").rpartition("\n")[2]
    assert line == f"layer.weight.set_data(initializer({after}, layer.weight.shape, layer.weight.dtype))"


def test_the_weights_of_a_norm_are_named_as_there() -> None:
    text = converted(f"{HEAD}nn.init.ones_(norm.weight)\n").text
    assert text.endswith("norm.gamma.set_data(initializer('ones', norm.gamma.shape, norm.gamma.dtype))\n")
    assert "from mindspore.common.initializer import initializer\n" in text


def test_bounds_that_are_not_symmetrical_are_drawn_between() -> None:
    text = converted(f"{HEAD}nn.init.uniform_(layer.weight, 0.2, 0.4)\n").text
    assert (
        "set_data(ops.uniform(layer.weight.shape, Tensor(0.2, ms.float32), Tensor(0.4, ms.float32)))" in text
    )


@pytest.mark.parametrize(
    "line",
    [
        "w = nn.init.normal_(layer.weight)",
        "nn.init.normal_(unknown().weight)",
        "nn.init.normal_(*given)",
        "nn.init.sparse_(layer.weight, 0.1)",
        "nn.init.trunc_normal_(layer.weight, std=deviation())",
    ],
)
def test_a_call_of_another_form_is_left(line: str) -> None:
    text = f"{HEAD}{line}\n"
    assert converted(text).text == text
