"""Steps that look at gradients, change them, or update by them without an optimizer."""

from __future__ import annotations

import pytest

from ...converting import converted, is_refused_step

STEP = """\
import torch
import torch.nn.functional as F


def train(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        for p in model.parameters():
            LOOK
        optimizer.step()
"""
MADE = "gradient_of = {id(one): gradient for one, gradient in zip(optimizer.parameters, gradients)}\n"
AGAIN = "gradients = tuple(gradient_of[id(one)] for one in optimizer.parameters)\n"


def test_a_gradient_is_looked_up_by_its_parameter() -> None:
    text = converted(STEP.replace("LOOK", "print(p.grad is not None and p.grad.data.norm(2).item())")).text
    assert f"        {MADE}        for p in like_torch.parameters(model):\n" in text
    assert "ops.vector_norm(gradient_of.get(id(p)), ord=2).item())\n" in text
    assert AGAIN not in text


@pytest.mark.parametrize(
    ("look", "written"),
    [
        ("p.grad.data.clamp_(-1, 1)", "gradient_of[id(p)] = gradient_of[id(p)].clamp(-1, 1)"),
        ("p.grad /= 4", "gradient_of[id(p)] = gradient_of[id(p)] / (4)"),
        ("p.grad.add_(p, alpha=0.1)", "gradient_of[id(p)] = gradient_of[id(p)] + (p) * (0.1)"),
        ("p.grad = p.grad * 2", "gradient_of[id(p)] = gradient_of.get(id(p)) * 2"),
    ],
)
def test_a_gradient_that_is_changed_is_one_of_the_gradients_again(look: str, written: str) -> None:
    text = converted(STEP.replace("LOOK", look)).text
    assert f"            {written}\n        {AGAIN}        optimizer(gradients)\n" in text


@pytest.mark.parametrize("look", ["p.grad[0] = 1", "p.grad.sqrt_()", "keep(p.grad.mul_(2))"])
def test_a_change_of_another_form_keeps_the_file(look: str) -> None:
    assert is_refused_step(converted(STEP.replace("LOOK", look)))


BY_HAND = """\
import torch
import torch.nn.functional as F


def train(model: torch.nn.Module, loader, lr):
    for x, y in loader:
        model.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= lr * p.grad
"""


def test_parameters_are_updated_without_an_optimizer() -> None:
    text = converted(BY_HAND).text
    assert "    model.set_train()\n    for x, y in loader:\n" in text
    assert "ms.value_and_grad(compute_loss, None, model.trainable_params())()\n" in text
    assert "            ops.assign(p, p - (lr * gradient_of.get(id(p))))\n" in text


def test_without_gradients_that_are_set_to_zero_they_would_add_up() -> None:
    assert is_refused_step(converted(BY_HAND.replace("        model.zero_grad()\n", "")))
    behind = (
        BY_HAND.replace("        model.zero_grad()\n", "")
        + "            for p in model.parameters():\n                p.grad = None\n"
    )
    assert (
        "p.grad"
        not in converted(
            behind.replace(
                "            for p in model.parameters():\n                p.grad",
                "        for p in model.parameters():\n            p.grad",
            )
        ).text
    )
