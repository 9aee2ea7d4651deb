"""A training step becomes a function of which gradients are taken."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ..converting import converted

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


def step(body: str) -> str:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return f"{HEAD}def train(model, loader, optimizer):\n    model.train()\n    for x, y in loader:\n{lines}"


def body_of(text: str) -> str:
    return dedent(text.partition("in loader:\n")[2]).rstrip("\n")


CANONICAL = "optimizer.zero_grad()\nloss = F.mse_loss(model(x), y)\nloss.backward()\noptimizer.step()"


def test_the_loss_becomes_a_function_and_the_optimizer_gets_the_gradients() -> None:
    text = step(CANONICAL).replace("    model.train()\n", "    model.train()\n    model.parameters()\n")
    assert body_of(converted(text).text) == dedent(
        """\
        def compute_loss():
            loss = ops.mse_loss(model(x), y)
            return loss
        loss, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
        optimizer(gradients)"""
    )
    assert "model.set_train()" in converted(text).text


def with_body(body: str) -> str:
    return step(body).replace("    model.train()\n", "    model.train()\n    model.parameters()\n")


def test_what_is_read_later_is_returned_beside_the_loss() -> None:
    body = CANONICAL.replace("loss = F.mse_loss(model(x), y)", "out = model(x)\nloss = F.mse_loss(out, y)")
    body += "\nprint(out)"
    text = body_of(converted(with_body(body)).text)
    assert "    return loss, out\n" in text
    assert "(loss, out), gradients = " in text
    assert "has_aux=True" in text


def test_what_the_function_reads_before_it_assigns_it_is_handed_in() -> None:
    body = CANONICAL.replace("loss = ", "x = F.relu(x)\nloss = ")
    assert "def compute_loss(x=x):\n" in body_of(converted(with_body(body)).text)


@pytest.mark.parametrize(
    "body",
    [
        CANONICAL.replace("backward()", "backward(retain_graph=True)"),
        CANONICAL.replace("optimizer.zero_grad()\n", ""),
        CANONICAL.replace("optimizer.step()", "if x:\n    optimizer.step()"),
        CANONICAL + "\nloss.backward()",
        CANONICAL.replace("loss = ", "print(x)\nloss = ").replace("optimizer.zero_grad()\n", "loss = 0\n"),
        CANONICAL.replace("optimizer.step()", "other.step()"),
        CANONICAL.replace("loss = ", "self.loss = loss = "),
    ],
    ids=[
        "graph kept",
        "never zeroed",
        "step in a branch",
        "twice",
        "something between",
        "other",
        "attribute",
    ],
)
def test_a_step_of_another_form_is_left(body: str) -> None:
    text = with_body(body)
    answer = converted(text)
    assert answer.text == text
    assert "step" in answer.blockers.values()


def test_the_gradients_are_clipped_between() -> None:
    clip = "torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\noptimizer.step()"
    text = body_of(converted(with_body(CANONICAL.replace("optimizer.step()", clip))).text)
    assert text.endswith("gradients = ops.clip_by_global_norm(gradients, 0.5)\noptimizer(gradients)")


def test_what_looks_at_gradients_of_parameters_is_left() -> None:
    look = "print(model.weight.grad)\noptimizer.step()"
    text = with_body(CANONICAL.replace("optimizer.step()", look))
    assert converted(text).text == text


def test_a_model_that_nothing_switches_to_training_is_left() -> None:
    text = with_body(CANONICAL).replace("    model.train()\n", "")
    answer = converted(text)
    assert answer.text == text
    assert "mode" in answer.blockers.values()
