"""Layers and schedulers that the helper file has."""

from __future__ import annotations

import pytest

from ...converting import converted


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("torch.nn.InstanceNorm2d(3, affine=True)", "instance_norm_2d"),
        ("torch.nn.ParameterDict()", "parameter_dict"),
        ("torch.nn.ModuleDict({'a': torch.nn.ReLU()})", "module_dict"),
        ("torch.nn.LSTMCell(3, 4)", "lstm_cell"),
        ("torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=9)", "one_cycle_lr"),
        ("torch.nn.init.calculate_gain('relu')", "calculate_gain"),
    ],
)
def test_a_class_is_that_of_the_helper(text: str, part: str) -> None:
    answer = converted(f"import torch\n\nx = {text}\n")
    assert f"x = like_torch.{text.partition('(')[0].rpartition('.')[2]}(" in answer.text
    assert answer.parts == {part}


def test_it_may_be_a_base_and_be_called_under_another_name() -> None:
    own = "class Own(nn.InstanceNorm1d):\n    pass\n"
    text = f"from torch import nn\n\n\n{own}\n\nnorm = nn.InstanceNorm1d\nx = norm(3)\n"
    found = converted(text).text
    assert "class Own(like_torch.InstanceNorm1d):\n" in found
    assert "norm = like_torch.InstanceNorm1d\nx = norm(3)\n" in found


def test_a_graph_calls_what_mindspore_has() -> None:
    answer = converted(
        "import torch\n\nx = torch.nn.ModuleDict({'a': torch.nn.ReLU()})\n", target="mindspore", graph=True
    )
    assert "nn.CellDict(" in answer.text and answer.parts == frozenset()
