"""Gradients by the inputs of a model, as gradient penalties take them."""

from __future__ import annotations

import pytest

from ...converting import converted, is_refused_step

HEAD = "import torch\n\n\ndef penalty(critic, real, fake):\n"
TEXT = f"""\
{HEAD}    mixed = (real + fake).requires_grad_(True)
    scores = critic(mixed)
    slopes = torch.autograd.grad(outputs=scores, inputs=mixed, MORE)[0]
    return slopes
"""
ONES = "grad_outputs=torch.ones_like(scores), create_graph=True, retain_graph=True"


def body_of(text: str) -> str:
    return converted(text).text.partition("fake):\n")[2]


def test_the_outputs_become_a_function_of_the_inputs() -> None:
    assert body_of(TEXT.replace("MORE", ONES)) == (
        "    mixed = (real + fake)\n"
        "    def compute_outputs(mixed):\n"
        "        scores = critic(mixed)\n"
        "        return scores.sum()\n"
        "    slope = ms.grad(compute_outputs)(mixed)\n"
        "    slopes = slope\n"
        "    return slopes\n"
    )


def test_what_is_read_later_comes_out_beside_the_gradients() -> None:
    text = body_of(TEXT.replace("MORE", ONES).replace("return slopes", "return slopes, scores"))
    assert "        return scores.sum(), scores\n" in text
    assert "    slope, (scores,) = ms.grad(compute_outputs, has_aux=True)(mixed)\n" in text


def test_gradients_of_which_none_are_taken_are_constant() -> None:
    text = body_of(TEXT.replace("MORE", ONES.replace("create_graph=True, ", "")))
    assert "    slope = ops.stop_gradient(ms.grad(compute_outputs)(mixed))\n" in text


def test_weights_of_the_outputs_stay_where_they_are_not_one() -> None:
    text = TEXT.replace("MORE", "grad_outputs=weights, create_graph=True").replace(
        "fake)", "fake, weights)", 1
    )
    assert "        return (scores * weights).sum()\n" in converted(text).text
    ones = TEXT.replace("MORE", "grad_outputs=ones, create_graph=True").replace(
        "    slopes =", "    ones = torch.ones(4, 1).to(real.device)\n    slopes ="
    )
    assert "        return scores.sum()\n" in converted(ones.replace(".to(real.device)", "")).text


def test_outputs_that_the_call_computes_need_no_function_of_their_own() -> None:
    text = f"{HEAD}    return torch.autograd.grad(critic(real), real, create_graph=True)\n"
    assert body_of(text) == "    return (ms.grad(lambda real: critic(real).sum())(real),)\n"


def test_a_flag_in_a_statement_of_its_own_goes() -> None:
    for flag in ("mixed.requires_grad_(True)", "mixed.requires_grad = True"):
        text = TEXT.replace("MORE", ONES).replace(".requires_grad_(True)", "")
        text = text.replace("    scores", f"    {flag}\n    scores", 1)
        assert "requires_grad" not in converted(text).text
        assert converted(text).blockers == {}


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("MORE", f"{ONES}, allow_unused=True"),
        TEXT.replace("MORE", ONES.replace("torch.ones_like(scores)", "torch.zeros(3)")),
        TEXT.replace("MORE", ONES).replace("critic(mixed)", "critic(real)"),
        TEXT.replace("MORE", ONES).replace("inputs=mixed", "inputs=critic.parameters()"),
        TEXT.replace("MORE", ONES).replace("    scores = ", "    compute_outputs = scores = "),
    ],
    ids=["unused inputs", "other weights", "not computed here", "of parameters", "a name that is taken"],
)
def test_another_form_is_left(text: str) -> None:
    assert is_refused_step(converted(text))


@pytest.mark.parametrize(
    "weights",
    [
        "torch.ones_like(scores).to(real)",
        "torch.ones(scores.size()).cuda()",
        "torch.ones_like(scores).detach().float()",
        "torch.autograd.Variable(torch.ones_like(scores))",
    ],
)
def test_ones_are_ones_wherever_they_are_moved_to(weights: str) -> None:
    made = body_of(TEXT.replace("MORE", f"grad_outputs={weights}, create_graph=True"))
    assert "        return scores.sum()\n" in made


@pytest.mark.parametrize(
    "weights",
    ["torch.ones_like(scores).mul(2)", "torch.ones_like(scores).neg()", "other.to(real)", "2 * other"],
)
def test_what_is_computed_of_ones_or_moved_is_no_one_for_that(weights: str) -> None:
    text = TEXT.replace("MORE", "grad_outputs=w, create_graph=True").replace("fake)", "fake, other)", 1)
    made = converted(
        text.replace("    scores =", f"    scores = critic(mixed)\n    w = {weights}\n    scores =")
    )
    assert "return scores.sum()" not in made.text
