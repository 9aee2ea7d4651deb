"""Loops over modules and parameters."""

from __future__ import annotations

from ..converting import converted

HEAD = "import torch.nn as nn\n\nnet = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))\n"


def test_cells_come_with_their_names() -> None:
    text = converted(
        f"{HEAD}for m in net.modules():\n    print(m)\nkinds = [type(m) for m in net.modules()]\n"
    ).text
    assert "for _, m in net.cells_and_names():\n" in text
    assert "[type(m) for _, m in net.cells_and_names()]" in text


def test_modules_that_are_no_loop_are_left() -> None:
    assert converted(f"{HEAD}every = list(net.modules())\n").blockers == {"net.modules()": "no-target"}


def test_parameters_that_a_loop_freezes_one_by_one_are_frozen_by_their_flag() -> None:
    loop = "for p in net.parameters():\n    p.requires_grad_(False)\n"
    text = f"import torch\n\nnet = torch.nn.Linear(2, 2)\n{loop}"
    assert "    p.requires_grad = False\n" in converted(text).text
    named = text.replace("p in net.parameters", "n, p in net.named_parameters")
    assert "    p.requires_grad = False\n" in converted(named).text
    freed = text.replace("for p", "net.bias.requires_grad = False\nfor p").replace("(False)", "(True)")
    assert "freed" in converted(freed).blockers.values()


def test_a_module_is_frozen_by_the_flags_of_its_parameters() -> None:
    text = "import torch\n\nnet = torch.nn.Linear(2, 2)\nnet.requires_grad_(False)\n"
    assert converted(text).text.endswith(
        "for parameter in net.trainable_params():\n    parameter.requires_grad = False\n"
    )
    assert "no-target" in converted(text.replace("False", "flag")).blockers.values()
