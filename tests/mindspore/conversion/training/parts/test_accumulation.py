"""Gradients that several turns of a loop add up."""

from __future__ import annotations

import pytest

from ...converting import converted, is_refused_step

HEAD = "import torch\nimport torch.nn.functional as F\n\n\ndef train(model: torch.nn.Module, loader):\n"
MADE = "    optimizer = torch.optim.SGD(model.parameters(), 0.1)\n    model.train()\n"
TURN = "loss = F.mse_loss(model(x), y) / 2\n"
PAIRS = "gradients if gradient_sum is None else tuple(a + b for a, b in zip(gradient_sum, gradients))"

MICRO = (
    "    for step in range(3):\n        for x, y in loader:\n            "
    + TURN
    + "            loss.backward()\n"
    "        optimizer.step()\n        optimizer.zero_grad()\n"
)


def test_an_update_behind_the_loop_has_the_gradients_of_all_its_turns() -> None:
    text = converted(HEAD + MADE + MICRO).text
    assert "        gradient_sum = None\n        for x, y in loader:\n            def compute_loss():" in text
    assert f"            gradient_sum = {PAIRS}\n        optimizer(gradient_sum)\n" in text
    assert "zero_grad" not in text
    assert text.count("gradient_sum = None\n") == 1


def test_gradients_zeroed_before_the_loop_are_the_beginning_of_the_sum() -> None:
    text = (
        HEAD
        + MADE
        + MICRO.replace("        optimizer.zero_grad()\n", "").replace(
            "        for x", "        optimizer.zero_grad()\n        print(step)\n        for x"
        )
    )
    assert "        gradient_sum = None\n        print(step)\n        for x" in converted(text).text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        optimizer.zero_grad()\n", ""),
        ("        optimizer.step()\n", "        log(p.grad for p in chosen)\n        optimizer.step()\n"),
        ("        optimizer.step()\n", "        model(1).sum().backward()\n        optimizer.step()\n"),
        ("            loss.backward()\n", "            loss.backward()\n            optimizer.zero_grad()\n"),
    ],
    ids=["never zeroed", "looks at gradients", "another loss beside the loop", "zeroed in every turn"],
)
def test_another_form_is_left(old: str, new: str) -> None:
    text = HEAD + MADE + MICRO
    assert converted(text).blockers == {}
    assert is_refused_step(converted(text.replace(old, new)))


def test_gradients_are_clipped_between_the_loop_and_the_update_or_not_at_all() -> None:
    clip = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"
    step, zero = "        optimizer.step()\n", "        optimizer.zero_grad()\n"
    before, after = (MICRO.replace(one, f"        {clip}\n{one}") for one in (step, zero))
    assert converted(HEAD + MADE + before).blockers == {}
    assert converted(HEAD + MADE + after).blockers == {clip: "step"}


SOME = (
    "    for i, (x, y) in enumerate(loader):\n        " + TURN + "        loss.backward()\n"
    "        if (i + 1) % 2 == 0:\n            optimizer.step()\n            optimizer.zero_grad()\n"
)


def test_a_new_optimizer_has_no_gradients_so_that_the_sum_begins_before_the_outermost_loop() -> None:
    epochs = "    for epoch in range(2):\n" + "".join(f"    {line}\n" for line in SOME.splitlines())
    text = converted(HEAD + MADE + epochs).text
    assert "    model.set_train()\n    gradient_sum = None\n    for epoch" in text
    assert text.count("gradient_sum = None\n") == 2
    inside = (
        HEAD + "    for epoch in range(2):\n" + "".join(f"    {one}\n" for one in (MADE + SOME).splitlines())
    )
    assert "        gradient_sum = None\n        for i" in converted(inside).text


def test_gradients_that_may_be_left_over_from_an_earlier_call_are_left() -> None:
    handed = (
        (HEAD + SOME)
        .replace("loader)", "loader, optimizer)")
        .replace("    for i", "    model.train()\n    for i")
    )
    assert is_refused_step(converted(handed))


SCALED = """\
    scaler = torch.cuda.amp.GradScaler(enabled=SETTING)
    for i, (x, y) in enumerate(loader):
        loss = F.mse_loss(model(x), y)
        scaler.scale(loss / 2).backward()
        if (i + 1) % 2 == 0:
            if i:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
"""


def test_a_scaler_divides_the_sum_once_before_it_is_used() -> None:
    text = converted(HEAD + MADE + SCALED.replace("SETTING", "True")).text
    assert text.endswith(
        """\
            return scaler.scale(loss / 2)
        _, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
        gradient_sum = gradients if gradient_sum is None else \
tuple(a + b for a, b in zip(gradient_sum, gradients))
        if (i + 1) % 2 == 0:
            gradient_sum = scaler.unscale(gradient_sum)
            is_finite = ms.amp.all_finite(gradient_sum)
            if i:
                gradient_sum = ops.clip_by_global_norm(gradient_sum, 1.0)
            if is_finite:
                optimizer(gradient_sum)
            scaler.adjust(is_finite)
            gradient_sum = None
"""
    )


def test_a_scaler_that_may_be_off_lets_every_update_through() -> None:
    text = converted(HEAD + MADE + SCALED.replace("SETTING", "loader.mixed")).text
    assert " if loader.mixed else ms.amp.StaticLossScaler(1.0))\n" in text
    assert "if is_finite or isinstance(scaler, ms.amp.StaticLossScaler):\n" in text


def test_without_a_call_that_divides_it_happens_at_the_update() -> None:
    plain = SCALED.replace("SETTING", "True").replace("            if i:\n", "")
    plain = "".join(f"{one}\n" for one in plain.splitlines() if "unscale_" not in one and "clip" not in one)
    text = converted(HEAD + MADE + plain).text
    assert "            gradient_sum = scaler.unscale(gradient_sum)\n            is_finite = " in text
    assert "            if is_finite:\n                optimizer(gradient_sum)\n" in text


@pytest.mark.parametrize("place", ["        if i == 0:\n            print(i)\n"])
def test_other_conditions_in_the_loop_are_no_update(place: str) -> None:
    before = HEAD + MADE + SOME.replace("        loss.backward()\n", f"{place}        loss.backward()\n")
    assert converted(HEAD + MADE + SOME).blockers == converted(before).blockers == {}
    assert "gradient_sum = None\n" in converted(before).text
