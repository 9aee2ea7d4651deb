"""Regions without gradients in what gradients are taken of."""

from __future__ import annotations

from ...converting import converted

NET = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = torch.relu(x)
            self.last = y * 2
        return x * y
"""
STEP = """\
import torch
import torch.nn.functional as F


def train(model, teacher, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x)
        with torch.no_grad():  # no gradient here
            wanted = teacher(x)
        loss = F.mse_loss(out, wanted) + F.mse_loss(out, y)
        loss.backward()
        optimizer.step()
"""


def test_in_a_module_its_results_are_constants() -> None:
    assert converted(NET).text.endswith(
        "        y = ops.relu(x)\n        self.last = ops.stop_gradient(y * 2)\n"
        "        y = ops.stop_gradient(y)\n        return x * y\n"
    )


def test_in_a_step_they_are_too_and_comments_stay() -> None:
    assert (
        "            # no gradient here\n            wanted = teacher(x)\n"
        "            wanted = ops.stop_gradient(wanted)\n            loss = "
    ) in converted(STEP).text


def test_before_the_model_is_called_it_is_no_part_of_the_function() -> None:
    head, _, tail = STEP.partition("        out = model(x)\n")
    region, _, rest = tail.partition("        loss = ")
    text = converted(f"{head}{region}        out = model(x)\n        loss = {rest}").text
    assert "        wanted = teacher(x)\n        def compute_loss" in text
    assert "stop_gradient" not in text


def test_what_a_decorated_method_returns_is_a_constant_where_the_module_calls_it() -> None:
    text = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    @torch.no_grad()\n"
        "    def scale(self, x: torch.Tensor):\n"
        "        return x.abs().max()\n\n    def forward(self, x):\n        return x / self.scale(x)\n"
    )
    assert "        return ops.stop_gradient(" in converted(text).text


def test_a_function_that_a_step_calls_is_one_of_which_gradients_are_taken() -> None:
    region = "    with torch.no_grad():\n        found = teacher(x)\n"
    helper = f"def wanted_of(teacher, x):\n{region}    return found\n\n\n"
    text = STEP.replace("def train", helper + "def train").replace(
        "        with torch.no_grad():  # no gradient here\n            wanted = teacher(x)\n",
        "        wanted = wanted_of(teacher, x)\n",
    )
    assert (
        "    found = teacher(x)\n    found = ops.stop_gradient(found)\n    return found\n"
        in converted(text).text
    )
