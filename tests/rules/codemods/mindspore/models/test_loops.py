"""Loops over modules and parameters."""

from __future__ import annotations

import pytest

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


def test_the_averages_of_norms_are_no_parameters() -> None:
    text = converted(f"{HEAD}named = dict(net.named_parameters())\n").text
    assert "filter(lambda named: named[1].requires_grad, net.parameters_and_names())" in text


@pytest.mark.parametrize("text", ["bias", ".weight", "norm.weight"])
def test_names_of_parameters_that_are_others_there_keep_the_file(text: str) -> None:
    loop = f"found = [p for n, p in net.named_parameters() if '{text}' in n]\n"
    assert "arguments" in converted(HEAD + loop).blockers.values()


def test_the_name_of_a_layer_that_keeps_its_names_may_be_asked_for() -> None:
    head = f"{HEAD}net.head = nn.Linear(4, 2)\n"
    text = f"{head}found = [p for n, p in net.named_parameters() if n == 'head.weight']\n"
    assert converted(text).blockers == {}


def test_parameters_may_be_frozen_and_not_freed() -> None:
    loop = f"{HEAD}for p in net.parameters():\n    p.requires_grad = "
    assert "for p in net.trainable_params():\n    p.requires_grad = False" in converted(f"{loop}False\n").text
    for value in ("True", "flag"):
        assert converted(f"{loop}{value}\n").blockers == {"net.parameters()": "arguments"}


def test_parameters_that_a_loop_freezes_one_by_one_are_frozen_by_their_flag() -> None:
    loop = "for p in net.parameters():\n    p.requires_grad_(False)\n"
    text = f"import torch\n\nnet = torch.nn.Linear(2, 2)\n{loop}"
    assert "    p.requires_grad = False\n" in converted(text).text
    named = text.replace("p in net.parameters", "n, p in net.named_parameters")
    assert "    p.requires_grad = False\n" in converted(named).text
    freed = converted(text.replace("(False)", "(True)"))
    assert "no-target" in freed.blockers.values()
