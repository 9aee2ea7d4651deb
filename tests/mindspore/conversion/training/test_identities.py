"""One thing under two names, two optimizers of one loss, and what steps look like then."""

from __future__ import annotations

import pytest

from ..converting import converted, is_refused_step

TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, model: nn.Module, other: nn.Module):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, x, y):
        self.model.train()
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_({clipped}.parameters(), 1.0)
        self.optimizer.step()
"""
PAIR = """\
import torch
from torch import nn

encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 1)
first = torch.optim.SGD(encoder.parameters(), lr=0.1)
second = torch.optim.SGD({module}.parameters(), lr=0.2)
for x in [torch.ones(2, 4)]:
    first.zero_grad()
    second.zero_grad()
    loss = decoder(encoder(x)).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(decoder.parameters(), 0.5)
    first.step()
    second.step()
"""


def test_an_attribute_is_the_parameter_that_it_keeps() -> None:
    text = converted(TRAINER.format(clipped="self.model")).text
    assert "gradients = ops.clip_by_global_norm(gradients, 1.0)" in text


@pytest.mark.parametrize(("switched", "is_refused"), [("model", False), ("other", True)])
def test_a_method_that_calls_it_is_switched_where_the_class_switches_it(
    switched: str, is_refused: bool
) -> None:
    text = TRAINER.format(clipped="self.model").replace("self.model.train()", f"self.{switched}.train()")
    text = text.replace("self.model(x)", "self.ahead(x)")
    text += "\n    def ahead(self, x):\n        return self.model(x)\n"
    assert ("mode" in converted(text).blockers.values()) is is_refused


def test_the_parts_of_an_attribute_are_of_one_module() -> None:
    groups = '[{"params": self.model.a.parameters()}, {"params": self.model.b.parameters(), "lr": 0.2}]'
    text = TRAINER.format(clipped="self.model").replace("model.parameters(), lr", f"{groups}, lr")
    text = text.replace("        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)\n", "")
    assert converted(text.replace("self.model.train()", "pass")).text.count("self.model.set_train()") == 1


def test_another_model_is_not() -> None:
    done = converted(TRAINER.format(clipped="self.other"))
    assert is_refused_step(done)


def test_two_optimizers_share_the_gradients_of_one_loss() -> None:
    text = converted(PAIR.format(module="decoder")).text
    assert "None, [*first.parameters, *second.parameters])()" in text
    count = "len(first.parameters)"
    assert f"gradients, more_gradients = gradients[:{count}], gradients[{count}:]\n" in text
    assert "more_gradients = ops.clip_by_global_norm(more_gradients, 0.5)\n" in text
    assert text.endswith("first(gradients)\n    second(more_gradients)\n")


def test_two_optimizers_of_one_module_do_not() -> None:
    assert is_refused_step(converted(PAIR.format(module="encoder")))


def test_what_is_not_placed_any_more_is_not_assigned_to_itself() -> None:
    text = converted(
        "import torch\n\nfor x, y in [(torch.ones(2), torch.ones(2))]:\n"
        "    x, y = x.cuda(), y.cuda()\n    z = x.cuda()\n    print(x.unsqueeze(0), y.unsqueeze(0), z)\n"
    ).text
    assert "x, y = " not in text and "z = x\n" in text


MAKER = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.b(self.a(x))

    def optimizer(self):
        return torch.optim.SGD([{"params": self.a.parameters()}, {"params": self.b.parameters()}], lr=0.1)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.made = net.optimizer()

    def fit(self, data):
        for x in data:
            loss = torch.sum(self.net(x))
            self.made.zero_grad()
            loss.backward()
            self.made.step()


Trainer(Net()).fit(torch.ones(4, 3, 2))
"""


def test_a_step_whose_model_has_its_name_in_another_function_asks_for_its_mode() -> None:
    assert converted(MAKER).blockers["loss.backward()"] == "mode"


def test_a_program_that_has_a_function_of_the_usual_name_keeps_it() -> None:
    text = (
        "import torch\nnet = torch.nn.Linear(2, 1)\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net.train()\ndef compute_loss(out):\n    return out.sum()\nfor x in [torch.ones(3, 2)]:\n"
        "    loss = compute_loss(net(x))\n    optimizer.zero_grad()\n    loss.backward()\n"
        "    optimizer.step()\n"
    )
    assert "def compute_step_loss():\n        loss = compute_loss(net(x))\n" in converted(text).text
