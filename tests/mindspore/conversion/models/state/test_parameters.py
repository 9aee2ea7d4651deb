"""The parameters of a module: all of them, or those that are trained."""

from __future__ import annotations

import pytest

from ...converting import converted

HEAD = "import torch\nfrom torch import nn\n\nnet = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))\n"


def test_what_an_optimizer_is_given_are_those_that_are_trained() -> None:
    text = f"{HEAD}optimizer = torch.optim.SGD([{{'params': net.parameters(), 'lr': 0.1}}], lr=0.2)\n"
    assert "[{'params': net.trainable_params(), 'lr': 0.1}]" in converted(text).text


@pytest.mark.parametrize(
    "asked",
    [
        "filter(lambda p: p.requires_grad, net.parameters())",
        "[p for p in net.parameters() if p.requires_grad]",
    ],
)
def test_so_are_those_that_are_asked_for_the_flag(asked: str) -> None:
    assert "net.trainable_params()" in converted(f"{HEAD}trained = {asked}\n").text


def test_elsewhere_they_are_all_also_the_frozen_ones() -> None:
    answer = converted(f"{HEAD}count = sum(p.numel() for p in net.parameters())\n")
    assert "for p in like_torch.parameters(net))" in answer.text
    assert answer.parts == {"parameters"}


def test_their_names_are_those_of_torch() -> None:
    answer = converted(f"{HEAD}found = [p for n, p in net.named_parameters() if 'bias' in n]\n")
    assert "for n, p in like_torch.named_parameters(net) if 'bias' in n]" in answer.text


def test_they_may_be_frozen() -> None:
    text = converted(f"{HEAD}for p in net.parameters():\n    p.requires_grad = False\n").text
    assert "for p in net.trainable_params():\n    p.requires_grad = False\n" in text


FROZEN = "for p in net[0].parameters():\n    p.requires_grad = False\n"


@pytest.mark.parametrize("value", ["True", "flag"])
def test_they_may_be_freed_where_an_optimizer_is_made_of_them_afterwards(value: str) -> None:
    freed = f"{HEAD}{FROZEN}for p in net.parameters():\n    p.requires_grad = {value}\n"
    assert converted(freed).blockers == {"net.parameters()": "freed"}
    behind = f"{freed}optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    assert "for p in like_torch.parameters(net):\n" in converted(behind).text


def test_an_optimizer_that_was_made_before_would_not_train_what_is_freed() -> None:
    made = "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    freed = f"{FROZEN}for p in net.parameters():\n    p.requires_grad = True\n"
    assert "freed" in converted(f"{HEAD}{made}{freed}other = {made.partition(' = ')[2]}").blockers.values()
    assert converted(f"{HEAD}{made}{freed}{made}").blockers == {}


def test_where_a_class_has_a_method_of_the_name_only_modules_are_known_to_have_parameters() -> None:
    plan = "class Plan:\n    def parameters(self):\n        return []\n"
    text = f"{HEAD}from plans import made\n\n{plan}\n\nfound = made().parameters()\n"
    assert converted(text).blockers == {"made().parameters()": "receiver"}
    assert "like_torch.parameters(net)" in converted(text.replace("made().par", "net.par")).text
    assert "found = Plan().parameters()" in converted(text.replace("made().par", "Plan().par")).text
