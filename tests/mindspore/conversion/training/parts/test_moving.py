"""Which statements of a forward pass may stand in a function of their own."""

from __future__ import annotations

import pytest

from ...converting import converted, is_refused_step

TEXT = """\
import torch
import torch.nn.functional as F
from contextlib import nullcontext


def train(model: torch.nn.Module, loader, aux):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    context = nullcontext()
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        STEP
        loss.backward()
        optimizer.step()
"""
LOSS = "loss = F.mse_loss(model(x), y)"


def text_with(step: str) -> str:
    return TEXT.replace("STEP", step.replace("\n", "\n        "))


def body_of(step: str) -> str:
    return converted(text_with(step)).text.partition("in loader:\n")[2]


def test_a_branch_is_part_of_the_function() -> None:
    text = body_of(f"{LOSS}\nif aux:\n    loss = loss + F.l1_loss(model(x), y)")
    moved = "            if aux:\n                loss = loss + ops.l1_loss(model(x), y)\n"
    assert f"{moved}            return loss\n" in text


def test_what_only_a_branch_assigns_comes_from_before() -> None:
    assert "def compute_loss(x=x):\n" in body_of(f"if aux:\n    x = F.relu(x)\n{LOSS}")


def test_a_loop_over_parts_is_part_of_the_function() -> None:
    turn = "    out = model(part)\n    loss = loss + F.mse_loss(out, goal)"
    text = body_of(f"loss = 0.0\nfor part, goal in zip(x, y):\n{turn}")
    assert (
        "        def compute_loss():\n            loss = 0.0\n            for part, goal in zip(x, y):\n"
        in text
    )


def test_a_region_that_does_nothing_stays_in_it() -> None:
    assert "            with context:\n                loss = " in body_of(f"with context:\n    {LOSS}")


@pytest.mark.parametrize("graph", [False, True])
def test_data_behind_a_region_that_does_nothing_comes_before_the_function(graph: bool) -> None:
    step = "with context:\n    out = model(x)\ngoal = torch.ones(3)\nloss = F.mse_loss(out, goal)"
    text = converted(text_with(step), graph=graph).text.partition("in loader:\n")[2]
    assert text.startswith("        goal = ops.ones(3)\n        def compute_loss(")
    assert ("with context:" in text) is not graph


def test_statements_between_those_that_compute_the_loss_move_with_them() -> None:
    text = body_of("out = model(x)\nprint(out)\nloss = F.mse_loss(out, y)")
    assert "            out = model(x)\n            print(out)\n            loss = " in text


def test_data_is_prepared_before_the_function_where_something_else_is_between() -> None:
    text = body_of(f"x = x.to('cuda')\nwhile aux:\n    aux -= 1\n{LOSS}")
    assert text.index("while aux") < text.index(
        "def compute_loss():\n            loss = ops.mse_loss(model(x), y)"
    )


@pytest.mark.parametrize(
    "step",
    [
        f"if aux:\n    continue\n{LOSS}\nif aux:\n    break\nloss = loss * 2",
        "if aux:\n    out = model(x)\nelse:\n    return\nloss = F.mse_loss(out, y)",
        "out = model(x)\nif aux:\n    self.loss = 3\n    out = out * 2\nloss = F.mse_loss(out, y)",
        f"with open(aux):\n    {LOSS}",
        "if aux:\n    fresh = model(x)\nloss = F.mse_loss(fresh, y)",
    ],
    ids=[
        "leaves the loop",
        "leaves the function",
        "an attribute",
        "another region",
        "perhaps without a value",
    ],
)
def test_another_statement_is_left(step: str) -> None:
    assert is_refused_step(converted(text_with(step)))
