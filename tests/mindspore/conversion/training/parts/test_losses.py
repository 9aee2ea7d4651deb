"""Losses that are expressions, and what stands between a loss and its gradients."""

from __future__ import annotations

import pytest

from ...converting import converted, is_refused_step

TEXT = """\
import torch
import torch.nn.functional as F


def train(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        STEP
        optimizer.step()
"""


def body_of(step: str) -> str:
    text = converted(TEXT.replace("STEP", step.replace("\n", "\n        "))).text
    return text.partition("in loader:\n")[2]


def test_an_expression_is_what_the_function_gives() -> None:
    assert body_of("F.mse_loss(model(x), y).backward()") == (
        "        def compute_loss():\n            return ops.mse_loss(model(x), y)\n"
        "        _, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()\n"
        "        optimizer(gradients)\n"
    )


def test_it_is_given_beside_what_is_read_later() -> None:
    text = body_of("out = model(x)\n(F.mse_loss(out, y) / 2).backward()\nprint(out)")
    assert "            out = model(x)\n            return (ops.mse_loss(out, y) / 2), out\n" in text
    assert "        (_, out), gradients = " in text


def test_statements_between_a_loss_and_its_gradients_see_the_loss_and_may_change_its_inputs() -> None:
    text = body_of("loss = F.mse_loss(model(x), y)\nprint(loss)\nx, y = next(loader)\nloss.backward()")
    taken = text.index("loss, gradients = ")
    assert text.index("return loss") < taken < text.index("print(loss)") < text.index("x, y = next(loader)")
    assert text.index("x, y = next(loader)") < text.index("optimizer(gradients)")


def test_the_same_holds_of_a_loss_that_is_divided() -> None:
    text = body_of("loss = F.mse_loss(model(x), y)\nprint(loss)\n(loss / 2).backward()")
    assert "            return (loss / 2), loss\n        (_, loss), gradients = " in text
    assert text.index("(_, loss), gradients = ") < text.index("print(loss)")


def test_an_element_of_what_is_computed() -> None:
    text = body_of("losses = {'all': F.mse_loss(model(x), y)}\nlosses['all'].backward()\nprint(losses)")
    assert "            return losses['all'], losses\n        (_, losses), gradients = " in text


@pytest.mark.parametrize(
    "step",
    [
        "loss = model(x)\nprint(loss)\nF.mse_loss(loss, y).backward()",
        "model(x).sum().backward(y)",
        "[a][0].backward()",
    ],
    ids=["computed behind something else", "with a gradient", "an element"],
)
def test_another_form_is_left(step: str) -> None:
    text = TEXT.replace("STEP", step.replace("\n", "\n        "))
    assert is_refused_step(converted(text))
