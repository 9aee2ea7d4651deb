"""A tensor that is trained outside of any module is the cause, and not what follows from it."""

from __future__ import annotations

import pytest

from ..converting import converted

MADE = "w = torch.tensor([1.0], requires_grad=True)"
STEPS = {
    "by hand": "w.data = w.data - 0.1 * w.grad.data\n    w.grad.data.zero_()",
    "without gradients": "with torch.no_grad():\n        w -= 0.1 * w.grad\n        w.grad.zero_()",
    "an optimizer": "optimizer.step()\n    optimizer.zero_grad()",
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_is_the_only_cause_of_its_file(step: str) -> None:
    optimizer = "optimizer = torch.optim.SGD([w], lr=0.1)\n" if "optimizer" in step else ""
    loop = f"for x in [1.0, 2.0]:\n    loss = (x * w - 1) ** 2\n    loss.backward()\n    {step}\n"
    assert converted(f"import torch\n\n{MADE}\n{optimizer}{loop}").blockers == {
        MADE.removeprefix("w = "): "leaf"
    }


def test_leaves_other_causes_to_others() -> None:
    text = f"import torch\n\n{MADE}\nx = torch.fft.fft(torch.ones(2))\ny = torch.eig(x)\nw.backward()\n"
    assert set(converted(text).blockers.values()) == {"leaf", "no-target"}


def test_is_an_argument_where_no_step_trains_it() -> None:
    assert set(converted(f"import torch\n\n{MADE}\n").blockers.values()) == {"argument"}


def test_a_flag_that_is_off_is_none() -> None:
    assert converted("import torch\n\nw = torch.tensor([1.0], requires_grad=False)\n").blockers == {}
