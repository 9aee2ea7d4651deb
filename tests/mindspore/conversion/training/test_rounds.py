"""Two models that are trained in turn: what one makes, the other judges."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

from ..converting import converted

TEXT = """\
import torch
import torch.nn.functional as F


def train(G, D, loader, z):
    g_opt = torch.optim.Adam(G.parameters(), lr=1e-3)
    d_opt = torch.optim.Adam(D.parameters(), lr=1e-3)
    G.train()
    D.train()
    for x, one, zero in loader:
        d_opt.zero_grad()
        real = F.mse_loss(D(x), one)
        real.backward()
        fake = G(z)
        wrong = F.mse_loss(D(fake.detach()), zero)
        wrong.backward()
        d_opt.step()
        g_opt.zero_grad()
        fooled = F.mse_loss(D(fake), one)
        fooled.backward()
        g_opt.step()
"""
LOOP = """\
        def compute_real():
            real = ops.mse_loss(D(x), one)
            return real
        real, gradient_sum = ms.value_and_grad(compute_real, None, d_opt.parameters)()
        fake, pull_back = ms.vjp(G, z, weights=g_opt.parameters)
        def compute_wrong():
            wrong = ops.mse_loss(D(ops.stop_gradient(fake)), zero)
            return wrong
        wrong, gradients = ms.value_and_grad(compute_wrong, None, d_opt.parameters)()
        gradient_sum = tuple(a + b for a, b in zip(gradient_sum, gradients))
        d_opt(gradient_sum)
        def compute_fooled(fake):
            fooled = ops.mse_loss(D(fake), one)
            return fooled
        fooled, slope = ms.value_and_grad(compute_fooled, 0)(fake)
        _, gradients = pull_back(slope)
        g_opt(gradients)
"""


def test_what_one_model_made_is_computed_once_and_its_weights_get_the_gradients() -> None:
    text = converted(TEXT).text
    assert text.partition("in loader:\n")[2] == LOOP


def test_models_that_nothing_switches_train_from_the_beginning() -> None:
    text = converted(TEXT.replace("    G.train()\n    D.train()\n", "")).text
    assert "    D.set_train()\n    G.set_train()\n    for x" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("fake.detach()", "fake", "step-shared"),
        ("D(fake)", "D(fake.detach())", "step-outside"),
        ("        wrong = ", "        fake = fake * 2\n        wrong = ", "step-shared"),
        ("        g_opt.zero_grad()\n", "", "step-zero"),
        ("        d_opt.step()\n", "        print(D.weight.grad)\n        d_opt.step()\n", "step-gradients"),
        ("    G.train()\n", "", "mode"),
        ("G(z)\n", "G(*z)\n", "step-shared"),
    ],
    ids=["both trained", "nobody trained", "made again", "never zeroed", "looked at", "mode", "unpacked"],
)
def test_other_forms_are_left(old: str, new: str, reason: str) -> None:
    assert converted(TEXT).blockers == {}
    answer = converted(TEXT.replace(old, new, 1))
    assert reason in answer.blockers.values()


def test_a_generator_may_have_several_inputs() -> None:
    text = converted(TEXT.replace("G(z)\n", "G(z, x)\n", 1)).text
    assert "fake, pull_back = ms.vjp(G, z, x, weights=g_opt.parameters)" in text


def test_a_label_that_is_filled_anew_is_another_tensor() -> None:
    text = TEXT.replace("        fooled = ", "        label.fill_(1.0)\n        fooled = ")
    made = text.replace("    for x", "    label = torch.zeros(3)\n    for x")
    assert "label = ops.full_like(label, 1.0)\n" in converted(made).text
    shared = made.replace("    for x", "    other = label\n    for x")
    assert converted(made).blockers == {}
    assert "no-target" in converted(shared).blockers.values()


def test_batches_are_made_before_the_functions_of_a_round() -> None:
    text = TEXT.replace(
        "        real = F", "        score = D(x)\n        one = torch.ones(4, 1)\n        real = F"
    )
    made = converted(text.replace("F.mse_loss(D(x)", "F.mse_loss(score")).text
    assert "        one = ops.ones((4, 1))\n        def compute_real():\n            score = D(x)\n" in made


ONE_LOSS = TEXT.replace("        real.backward()\n", "").replace(
    "wrong.backward()", "(real + wrong).backward()"
)
ONE_LOSS = ONE_LOSS.replace("        (real + wrong)", "        loss = real + wrong\n        loss")
IN_REGION = "        with torch.no_grad():\n            fake = G(z)\n"
MADE_AGAIN = "        fake = G(z)\n        fooled = "


def test_what_is_made_between_two_calls_of_a_judge_is_made_before() -> None:
    text = converted(ONE_LOSS).text.partition("in loader:\n")[2]
    made, _, function = text.partition("        def compute_loss():\n")
    assert made == "        fake, pull_back = ms.vjp(G, z, weights=g_opt.parameters)\n"
    assert function.startswith("            real = ops.mse_loss(D(x), one)\n            wrong = ")


def test_so_is_what_a_region_without_gradients_makes() -> None:
    text = ONE_LOSS.replace("        fake = G(z)\n", IN_REGION).replace("fake.detach()", "fake")
    text = converted(text.replace("        fooled = ", MADE_AGAIN)).text.partition("in loader:\n")[2]
    assert text.startswith("        fake = G(z)\n        def compute_loss():\n            real = ")


def test_both_optimizers_may_be_zeroed_before_each_update() -> None:
    zeroed = "        d_opt.zero_grad()\n        g_opt.zero_grad()\n"
    text = ONE_LOSS.replace("        d_opt.zero_grad()\n", zeroed)
    assert converted(text).text == converted(ONE_LOSS).text
    other = converted(text.replace("g_opt.zero_grad()", "other.zero_grad()", 1))
    assert "loss.backward()" in other.blockers


@pytest.mark.parametrize(
    ("between", "cause"),
    [
        ("print(x)", "print(x)"),
        ("score = real.item()", "score = real.item()"),
        ("score = D(z)", "score = D(z)"),
        ("fake = G(real)", "fake = G(real)"),
    ],
)
def test_what_cannot_come_before_is_named(between: str, cause: str) -> None:
    text = ONE_LOSS.replace("        wrong = ", f"        {between}\n        wrong = ")
    if "fake" in between:
        text = text.replace("        fake = G(z)\n", "", 1)
    found = check(SourceFile(text), options_from({"target": "mindspore"}))
    assert any(f"`{cause}` cannot become part" in render(one.message, "en") for one in found)


def test_gradients_that_several_losses_add_up_are_clipped_before_the_update() -> None:
    clip = "nn.utils.clip_grad_norm_(D.parameters(), 0.5)\n        d_opt.step()\n"
    answer = converted(
        TEXT.replace("d_opt.step()\n", clip).replace(
            "import torch\n", "import torch\nfrom torch import nn\n", 1
        )
    )
    assert answer.blockers == {}
    clipped = "gradient_sum = ops.clip_by_global_norm(gradient_sum, 0.5)\n        d_opt(gradient_sum)\n"
    assert f"        {clipped}" in answer.text


def test_gradients_that_are_clipped_between_two_losses_are_left() -> None:
    clip = "nn.utils.clip_grad_norm_(D.parameters(), 0.5)\n        fake = G(z)\n"
    text = TEXT.replace("fake = G(z)\n", clip).replace(
        "import torch\n", "import torch\nfrom torch import nn\n", 1
    )
    assert {*converted(text).blockers} >= {"real.backward()", "wrong.backward()"}
