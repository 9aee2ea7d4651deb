"""Methods that end in ``backward``, called before an update: they give their loss, and the caller trains."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
import torch
from torch import nn


class Model:
    def __init__(self):
        self.net_g = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
        self.net_d = nn.Sequential(nn.Linear(3, 1), nn.Dropout(0.5))
        self.opt_g = torch.optim.SGD(self.net_g.parameters(), lr=0.1)
        self.opt_d = torch.optim.SGD(self.net_d.parameters(), lr=0.1)

    def set_input(self, data):
        self.real, self.noise = data[0], data[1]

    def forward(self):
        self.fake = self.net_g(self.noise)

    def backward_d(self):
        self.loss_d = self.net_d(self.fake.detach()).mean() - self.net_d(self.real).mean()
        self.loss_d.backward()

    def backward_g(self):
        self.loss_g = -self.net_d(self.fake).mean()
        self.loss_g.backward()

    def set_requires_grad(self, net, flag):
        for p in net.parameters():
            p.requires_grad = flag

    def optimize_parameters(self):
"""
FORWARD = "        self.forward()\n"
ON, OFF = (f"        self.set_requires_grad(self.net_d, {flag})\n" for flag in (True, False))
D = "        self.opt_d.zero_grad()\n        self.backward_d()\n        self.opt_d.step()\n"
G = "        self.opt_g.zero_grad()\n        self.backward_g()\n        self.opt_g.step()\n"
D_FIRST, G_FIRST = FORWARD + ON + D + OFF + G, FORWARD + OFF + G + ON + D


def _updates(text: str) -> str:
    return converted(text).text.partition("def optimize_parameters(self):\n")[2]


def test_a_method_that_ends_in_backward_gives_its_loss() -> None:
    text = converted(TEXT + G_FIRST).text
    assert "        self.loss_g = -self.net_d(self.fake).mean()\n        return self.loss_g\n" in text


def test_what_is_computed_right_before_an_update_is_part_of_its_function() -> None:
    assert _updates(TEXT + G_FIRST) == (
        "        def compute_loss_g():\n"
        "            self.forward()\n"
        "            return self.backward_g()\n"
        "        _, gradients = ms.value_and_grad(compute_loss_g, None, self.opt_g.parameters)()\n"
        "        self.opt_g(gradients)\n"
        "        _, gradients = ms.value_and_grad(self.backward_d, None, self.opt_d.parameters)()\n"
        "        self.opt_d(gradients)\n"
    )


def test_what_is_computed_before_another_update_is_computed_once() -> None:
    assert _updates(TEXT + D_FIRST) == (
        "        def compute_fake():\n"
        "            self.forward()\n"
        "            return self.fake\n"
        "        _, pull_back = ms.vjp(compute_fake, weights=self.opt_g.parameters)\n"
        "        _, gradients = ms.value_and_grad(self.backward_d, None, self.opt_d.parameters)()\n"
        "        self.opt_d(gradients)\n"
        "        def compute_loss_g(fake):\n"
        "            self.fake = fake\n"
        "            return self.backward_g()\n"
        "        _, slope = ms.value_and_grad(compute_loss_g, 0)(ops.stop_gradient(self.fake))\n"
        "        _, gradients = pull_back(slope)\n"
        "        self.opt_g(gradients)\n"
    )


def test_losses_of_a_method_that_others_call_are_added_up() -> None:
    basic = (
        "    def basic(self, real):\n"
        "        loss = self.net_d(real).mean()\n"
        "        loss.backward()\n"
        "        return loss\n\n"
        "    def backward_a(self):\n"
        "        self.loss_a = self.basic(self.real)\n\n"
        "    def backward_b(self):\n"
        "        self.basic(self.noise)\n\n"
    )
    text = TEXT[: TEXT.index("    def backward_d")] + basic + TEXT[TEXT.index("    def backward_g") :]
    text = converted(
        text + FORWARD + OFF + G + ON + D.replace("backward_d()", "backward_a()\n        self.backward_b()")
    ).text
    assert "        loss = self.net_d(real).mean()\n        return loss\n" in text
    assert "        self.loss_a = self.basic(self.real)\n        return self.loss_a\n" in text
    assert "        return self.basic(self.noise)\n" in text
    assert "            return self.backward_a() + self.backward_b()\n" in text


def test_a_method_may_itself_be_called_backward() -> None:
    text = converted(TEXT.replace("backward_g", "backward") + G_FIRST.replace("backward_g", "backward")).text
    assert "            return self.backward()\n" in text


def test_a_module_computes_by_construct() -> None:
    text = TEXT.replace("class Model:", "class Model(nn.Module):")
    text = text.replace("        self.net_g =", "        super().__init__()\n        self.net_g =")
    assert "            self.construct()\n            return self.backward_g()\n" in _updates(text + G_FIRST)


def test_models_that_a_function_makes_train_before_the_first_of_them_computes() -> None:
    made = TEXT.replace("self.net_g = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))", "self.net_g = make()")
    text = made.replace(
        "class Model", "def make():\n    net = nn.Linear(3, 3)\n    return net\n\n\nclass Model"
    )
    assert _updates(text + D_FIRST).startswith(
        "        self.net_g.set_train()\n        def compute_fake():\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("self.loss_d.backward()", "self.loss_d.backward(retain_graph=True)", "step-kept"),
        ("        self.opt_g.zero_grad()\n", "", "step-zero"),
        (G, f"        self.fake = self.fake * 2\n{G}", "step-statement"),
        ("-self.net_d(self.fake)", "-self.net_g(self.fake)", "step-shared"),
        (FORWARD, "", "step-outside"),
        (G, "        if self.real is not None:\n" + G.replace("        ", " " * 12), "step-statement"),
        (G, f"{G}\n    def again(self):\n        self.backward_g()\n", "step-shared"),
        (G, f"{G}\n\nclass Other(Model):\n    def forward(self):\n        pass\n", "step-outside"),
    ],
    ids=[
        "kept graph",
        "never zeroed",
        "another statement",
        "a second way to the weights",
        "computed by the caller",
        "under a condition",
        "called elsewhere",
        "overridden",
    ],
)
def test_what_may_train_otherwise_is_refused_with_its_cause(old: str, new: str, reason: str) -> None:
    assert old in TEXT + D_FIRST
    assert reason in converted((TEXT + D_FIRST).replace(old, new)).blockers.values()


def test_what_a_method_that_the_caller_calls_has_computed_is_refused() -> None:
    text = TEXT.replace(
        "    def forward",
        "    def prepare(self):\n        self.more = self.net_g(self.real)\n\n    def forward",
    )
    text = text.replace("-self.net_d(self.fake).mean()", "-self.net_d(self.fake + self.more).mean()")
    assert set(converted(text + D_FIRST).blockers.values()) == {"step-outside"}


def test_two_results_of_a_model_before_another_update_are_refused() -> None:
    text = TEXT.replace("(self.noise)\n", "(self.noise)\n        self.more = self.net_g(self.real)\n")
    text = text.replace("-self.net_d(self.fake).mean()", "-self.net_d(self.fake + self.more).mean()")
    assert set(converted(text + D_FIRST).blockers.values()) == {"step-shared"}


def test_a_result_that_another_method_goes_on_with_before_another_update_is_refused() -> None:
    text = TEXT.replace(
        "    def set_req",
        "    def judge(self):\n        self.seen = self.net_d(self.fake)\n\n    def set_req",
    )
    text = text.replace(
        "-self.net_d(self.fake).mean()", "-self.net_d(self.fake).mean() + torch.mean(self.seen)"
    )
    text += D_FIRST.replace(FORWARD, f"{FORWARD}        self.judge()\n")
    assert set(converted(text).blockers.values()) == {"step-shared"}
