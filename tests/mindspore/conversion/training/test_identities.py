"""One thing under two names, two optimizers of one loss, and what steps look like then."""

from __future__ import annotations

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
