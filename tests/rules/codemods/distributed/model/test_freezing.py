"""The wrapper knows the parameters that are trained, whoever freezes them, and when."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted

NET = """
import torch
from torch import nn
from torch.utils.data import DataLoader

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.fc = nn.Linear(2, 4), nn.Linear(4, 1)
    def freeze(self, on=True):
        for p in self.body.parameters():
            p.requires_grad = not on
    def forward(self, x):
        return self.fc(self.body(x))

def switch(nets, flag):
    for net in nets if isinstance(nets, list) else [nets]:
        for p in net.parameters():
            p.requires_grad = flag

def switch_some(net, flag):
    for name, p in net.named_parameters():
        if "fc" not in name:
            p.requires_grad = flag
"""
PLAIN = "model = DistributedDataParallel(model, device_ids="
CHANGING = "model = wrap_changing_model("


def wrapped(before: str = "pass", epoch: str = "pass", step: str = "pass", after: str = "pass") -> str:
    """A script that does something before it trains, and in each epoch and step of the training."""
    return f"""{NET}
def main():
    model = Net().cuda()
    {before}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, 4)
    for epoch in range(3):
        {epoch}
        for x in loader:
            {step}
            model(x.cuda()).mean().backward()
            optimizer.step()
        {after}

main()
"""


@pytest.mark.parametrize(
    "freezing",
    [
        "model.freeze()",
        "switch_some(model, False)",
        "switch(model.body, False)",
        "model.body.requires_grad_(False)",
        "model.body.weight.requires_grad = False",
        "[p.requires_grad_(False) for p in model.body.parameters()]",
        "model.requires_grad_(False); model.fc = nn.Linear(4, 1).cuda()",
    ],
)
def test_what_is_frozen_once_is_frozen_before_the_wrapper(freezing: str) -> None:
    text = converted(wrapped(freezing)).text
    assert text.index(freezing.rpartition("; ")[2]) < text.index(PLAIN)
    assert CHANGING not in text


@pytest.mark.parametrize("freezing", ["model.freeze(epoch < 2)", "switch_some(model, epoch < 2)"])
def test_what_is_frozen_and_thawed_later_is_known_to_the_wrapper_from_the_beginning(freezing: str) -> None:
    for program in (wrapped(epoch=freezing), wrapped("model.freeze()", freezing), wrapped(step=freezing)):
        text = converted(program).text
        assert text.count(CHANGING) == 1 and PLAIN not in text


@pytest.mark.parametrize("freezing", ["model.requires_grad_(False)", "switch(model, False)"])
def test_a_model_that_is_frozen_as_a_whole_when_it_is_wrapped_may_be_thawed(freezing: str) -> None:
    thawed = "switch(model, epoch > 0)"
    assert CHANGING in converted(wrapped(f"{freezing}; model = model.cuda()", epoch=thawed)).text
    text = converted(wrapped(freezing, epoch=thawed)).text
    assert text.index(PLAIN) < text.index(f"    {freezing}")


@pytest.mark.parametrize(
    "switching",
    [
        "[p.requires_grad_(False) for p in model.parameters()]",
        "switch(model, False)",
        "switch([model], True)",
        "model.requires_grad_(True)",
    ],
)
def test_steps_that_freeze_all_of_a_model_change_nothing(switching: str) -> None:
    text = converted(wrapped(step=switching)).text
    assert text.count(PLAIN) == 1 and CHANGING not in text


@pytest.mark.parametrize(
    "looking",
    [
        "ema = [p.clone().add_(1) for p in model.parameters() if p.requires_grad]",
        "print(sum(p.numel() for p in model.parameters() if p.requires_grad))",
        "x = x.requires_grad_(True)",
    ],
)
def test_looking_at_what_is_trained_changes_nothing(looking: str) -> None:
    done = converted(wrapped(step=looking))
    assert done.text.count(PLAIN) == 1 and CHANGING not in done.text and "NPU423.frozen" not in done.left


def test_a_part_that_is_replaced_after_the_wrapper_is_said() -> None:
    assert "NPU423.frozen" in converted(wrapped(after="model.fc = nn.Linear(4, 1).cuda()")).left


def test_a_method_that_gives_nothing_computes_nothing_past_the_wrapper() -> None:
    assert "NPU425.method" not in converted(wrapped(epoch="model.freeze(epoch < 2)")).left


@pytest.mark.parametrize(
    ("given", "is_said"),
    [
        ("sum(p.abs().sum() for p in self.parameters())", False),
        ("self.fc.weight.norm()", False),
        ("next(self.parameters()).new_zeros(1, 3)", False),
        ("self.fc(torch.ones(1, 3))", True),
        ("[part(torch.ones(1, 3)) for part in self.children()]", True),
    ],
)
def test_a_method_of_the_parameters_alone_computes_nothing_past_the_wrapper(
    given: str, is_said: bool
) -> None:
    text = wrapped(epoch="model.asked()").replace(
        "    def forward", f"    def asked(self):\n        return {given}\n\n    def forward", 1
    )
    assert "def asked" in text and ("NPU425.method" in converted(text).left) is is_said
