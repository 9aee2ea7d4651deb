"""Gradients that are clipped before they are used."""

from __future__ import annotations

import pytest

from ...converting import converted, is_refused_step

TEXT = """\
import torch
import torch.nn.functional as F


def train(model: torch.nn.Module, loader, limit):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        CLIP
        optimizer.step()
"""
NORM = "clip_grad_norm_(model.parameters(), limit)"


def with_clip(clip: str) -> str:
    return TEXT.replace("CLIP", clip.replace("utils", "torch.nn.utils"))


@pytest.mark.parametrize(
    ("clip", "written"),
    [
        ("utils.clip_grad_value_(model.parameters(), limit)", "ops.clip_by_value(gradients, -limit, limit)"),
        (f"utils.{NORM}", "ops.clip_by_global_norm(gradients, limit)"),
        (f"utils.{NORM[:-1]}, norm_type=2.0)", "ops.clip_by_global_norm(gradients, limit)"),
    ],
)
def test_the_gradients_are_clipped_as_the_call_says(clip: str, written: str) -> None:
    assert f"        gradients = {written}\n        optimizer(gradients)\n" in converted(with_clip(clip)).text


def test_the_norm_that_the_call_gives_is_that_before_clipping() -> None:
    text = converted(with_clip(f"norm = utils.{NORM}")).text
    squares = "norm = ops.sqrt(sum((one * one).sum() for one in gradients))"
    assert f"        {squares}\n        gradients = ops.clip_by_global_norm(gradients, limit)\n" in text


def test_a_branch_around_the_call_stays() -> None:
    text = converted(with_clip(f"if limit:\n            utils.{NORM}")).text
    assert "        if limit:\n            gradients = ops.clip_by_global_norm(gradients, limit)\n" in text


@pytest.mark.parametrize(
    "clip",
    [
        f"utils.{NORM[:-1]}, norm_type=1)",
        "utils.clip_grad_norm_(model.head.parameters(), limit)",
        "utils.clip_grad_value_(model.parameters(), limit())",
        f"norms.append(utils.{NORM})",
        f"for _ in range(2):\n            utils.{NORM}",
    ],
    ids=[
        "another norm",
        "other parameters",
        "a limit that is computed twice",
        "its norm in a call",
        "a loop",
    ],
)
def test_another_form_is_left(clip: str) -> None:
    assert is_refused_step(converted(with_clip(clip)))
