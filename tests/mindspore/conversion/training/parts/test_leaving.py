"""What a loss does not depend on, an optimizer of PyTorch leaves alone; the program finds out what it is."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.conversion.conversion import Conversion
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

from ...converting import converted

HEAD = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 3)
        self.two = nn.Linear(3, 3)
        self.blocks = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])

    def forward(self, x, late=False):
{forward}

net = Net()
opt = {optimizer}
net.train()
for i in range(4):
    x = torch.randn(2, 3)
    opt.zero_grad()
{step}
    loss.backward()
    opt.step()
"""
ALL = "for block in self.blocks:\n    x = block(x)\nreturn self.two(self.one(x))"
PLAIN = "loss = net(x).sum()"
DECAYED = "torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.1)"


def lines(text: str, indent: str) -> str:
    return "".join(f"{indent}{line}\n" for line in text.splitlines())


def program(forward: str = ALL, step: str = PLAIN, optimizer: str = DECAYED) -> str:
    return HEAD.format(forward=lines(forward, " " * 8), step=lines(step, " " * 4), optimizer=optimizer)


def is_noted(text: str) -> bool:
    answer = converted(text)
    assert answer.blockers == {}
    return "like_torch.update(opt, gradients)" in answer.text


FORWARDS = (
    f"with torch.no_grad():\n    x = self.one(x)\n{ALL.replace('self.one(x)', 'x')}",
    f"x = self.one(x).detach()\n{ALL}",
    "return self.two(self.one(x))",
    "return self.blocks[0](self.two(self.one(x)))",
    f"if late:\n    x = self.one(x).detach()\n{ALL}",
    f"x = self.one(x) if torch.rand(1) < 0.5 else x\n{ALL.replace('self.one(x)', 'x')}",
)


@pytest.mark.parametrize("forward", FORWARDS)
def test_a_module_that_may_leave_out_a_layer_is_updated_by_what_its_losses_depend_on(forward: str) -> None:
    assert is_noted(program(forward))


@pytest.mark.parametrize(
    "step",
    [
        "loss = net(x).sum()\nif i % 2:\n    loss = loss + net.one(x).sum()",
        "loss = net.one(x).sum()",
        "first = net(x)\nloss = first.detach().mean() + net.two(x).sum()",
    ],
)
def test_so_is_one_of_whose_results_a_loss_may_leave_out_some(step: str) -> None:
    assert is_noted(program(step=step))


def test_results_that_no_loss_reads_are_such() -> None:
    forward = ALL.replace("return self.two(self.one(x))", "return self.two(x), self.one(x)")
    unread, read = (
        "first, _ = net(x)\nloss = first.sum()",
        "first, more = net(x)\nloss = (first + more).sum()",
    )
    assert [is_noted(program(forward, step)) for step in (unread, read)] == [True, False]


def test_a_module_that_uses_all_in_each_call_is_updated_as_a_whole() -> None:
    assert not is_noted(program())


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        ("torch.optim.SGD(net.parameters(), lr=0.1)", False),
        ("torch.optim.SGD(net.parameters(), 0.1, 0.9)", True),
        ("torch.optim.Adam(net.parameters())", True),
    ],
)
def test_an_optimizer_without_decay_and_moments_moves_nothing(optimizer: str, expected: bool) -> None:
    assert is_noted(program(FORWARDS[2], optimizer=optimizer)) is expected


@pytest.mark.parametrize(
    ("zeroing", "argument"),
    [
        ("opt.zero_grad()", ""),
        ("opt.zero_grad(set_to_none=True)", ""),
        ("opt.zero_grad(False)", ", set_to_none=False"),
        ("net.zero_grad(set_to_none=False)", ", set_to_none=False"),
    ],
)
def test_gradients_that_stay_as_zeros_are_said_to(zeroing: str, argument: str) -> None:
    text = program(FORWARDS[2]).replace("opt.zero_grad()", zeroing)
    assert f"like_torch.update(opt, gradients{argument})" in converted(text).text


def test_gradients_that_are_added_up_keep_what_those_before_depended_on() -> None:
    text = program(FORWARDS[2]).replace("    opt.zero_grad()\n", "")
    text = text.replace("    opt.step()\n", "    if i % 2:\n        opt.step()\n        opt.zero_grad()\n")
    assert "opt.parameters, added_to=gradient_sum)()" in converted(text).text


def test_gradients_that_a_step_asks_for_are_none_where_the_loss_does_not_depend() -> None:
    look = "    for p in net.parameters():\n        if p.grad is None:\n            p.grad = p.data\n"
    found = converted(program(FORWARDS[2]).replace("    opt.step()\n", f"{look}    opt.step()\n")).text
    assert "gradient_of = like_torch.gradients_by_id(opt.parameters, gradients)" in found
    assert "gradients = like_torch.gradients_in_order(opt.parameters, gradient_of)" in found


def test_a_program_that_asks_for_none_is_told_also_where_an_optimizer_moves_by_gradients_alone() -> None:
    look = "    for name, p in net.named_parameters():\n        if p.grad is None:\n            print(name)\n"
    text = program(FORWARDS[2], optimizer="torch.optim.SGD(net.parameters(), lr=0.1)")
    assert "gradients_by_id" in converted(text.replace("    opt.step()\n", f"{look}    opt.step()\n")).text


def test_gradients_that_are_not_taken_of_the_model_change_nothing() -> None:
    other = "with torch.no_grad():\n    y = teacher(x)\nloss = (net(x) - y).sum()"
    text = program(step=other).replace("net = Net()\n", "net = Net()\nteacher = nn.Linear(3, 3)\n")
    assert not is_noted(text)


def test_a_release_that_does_not_show_what_a_loss_depends_on_refuses_what_some_calls_leave_out() -> None:
    found = [converted(program(FORWARDS[5]), mindspore_version=one).blockers for one in ("2.8.0", "2.9.0")]
    assert ["partly" in one.values() for one in found] == [True, False]


class Project(Standalone):
    """A project with a module in a file of its own."""

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        layer = "from torch import nn\nclass Part(nn.Module):\n    def forward(self, x):\n        return x\n"
        return ("layers.py", layer) if module == "layers" else None


@pytest.mark.parametrize(
    ("head", "expected"), [("from layers import Part\n", True), ("import math\n", False)]
)
def test_a_module_of_another_file_may_be_a_part_that_leaves_out_some(head: str, expected: bool) -> None:
    source = SourceFile(head + program(), "train.py")
    with Context(source, options_from({}, MigrationOptions(version="2.8.0")), Project()) as context:
        edits = context.shared(Conversion).edits
    assert any("like_torch.update(opt" in one.text for one in edits) is expected
