"""A training step that is not converted says why, once for each ``backward``."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.conversion.conversion import Conversion
from gpu2ascend_mindspore.conversion.use import Reason
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from ..converting import converted

HEAD = """import torch
from torch import nn

net, other = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""
STEP = "    loss = net(x).sum()\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"


def refused(body: str) -> dict[str, str]:
    return converted(f"{HEAD}for x in data:\n{body}").blockers


def test_a_step_of_a_known_form_has_no_cause() -> None:
    assert refused(STEP) == {}


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("loss.backward()", "loss.backward(x)", {"loss.backward(x)": "step-call"}),
        ("    optimizer.step()\n", "", {"loss.backward()": "step-update"}),
        ("    optimizer.zero_grad()\n", "", {"loss.backward()": "step-zero"}),
        ("    optimizer.zero_grad()\n", "    clear()\n", {"loss.backward()": "step-zero"}),
        (
            "    optimizer.zero_grad()\n",
            "    with region:\n        loss = loss * 2\n    optimizer.zero_grad()\n",
            {"loss.backward()": "step-statement"},
        ),
        ("net(x).sum()", "torch.zeros(3).sum()", {"loss.backward()": "step-outside"}),
    ],
    ids=["an argument", "no update", "not zeroed", "zeroed elsewhere", "a statement", "no model"],
)
def test_the_cause_is_what_its_own_block_shows(old: str, new: str, cause: dict[str, str]) -> None:
    assert refused(STEP.replace(old, new)) == cause


def test_gradients_that_are_written_are_the_cause() -> None:
    changed = "loss.backward()\n    for p in net.parameters():\n        p.grad[0] = 1\n"
    assert refused(STEP.replace("loss.backward()\n", changed))["loss.backward()"] == "step-gradients"


def test_an_optimizer_of_unknown_parameters_is_the_cause_where_there_are_two() -> None:
    second = "    wrong = other(net(x)).sum()\n    both.zero_grad()\n    wrong.backward()\n    both.step()\n"
    given = "[*net.parameters(), *other.parameters()]"
    text = f"for x in data:\n{STEP}{second}"
    unknown = f"{HEAD}both = torch.optim.SGD(found({given}), lr=0.1)\n"
    assert converted(unknown + text).blockers == {"wrong.backward()": "step-optimizer"}
    shown = converted(f"{HEAD}both = torch.optim.SGD({given}, lr=0.1)\n{text}")
    assert "optim.SGD(nn.CellList([net, other]).trainable_params(), lr=0.1)" in shown.text


@pytest.mark.parametrize("name", ["given", "chain(net.parameters(), other.parameters())"])
def test_a_step_calls_each_of_the_modules_that_its_optimizer_has(name: str) -> None:
    head = f"from itertools import chain\n{HEAD}given = list(net.parameters()) + list(other.parameters())\n"
    step = STEP.replace("optimizer", "both")
    text = f"{head}both = torch.optim.SGD({name}, lr=0.1)\nfor x in data:\n{step}"
    assert "loss.backward()" in converted(text).blockers
    assert converted(text.replace("net(x)", "other(net(x))")).blockers == {}


SECOND = "more = torch.optim.SGD(other.parameters(), lr=0.1)\n"


@pytest.mark.parametrize(
    "loop", ["for one in [optimizer, more]", "for net, one in zip([net, other], [optimizer, more])"]
)
def test_an_optimizer_out_of_a_list_is_the_cause_and_the_only_one(loop: str) -> None:
    step = STEP.replace("optimizer", "one").replace("    ", "        ")
    text = f"{HEAD}{SECOND}for x in data:\n    {loop}:\n{step}"
    assert converted(text).blockers == {"loss.backward()": "step-optimizer"}


def test_an_optimizer_that_is_handed_in_is_no_cause() -> None:
    text = f"{HEAD}def train(optimizer):\n  for x in data:\n" + STEP.replace("    optimizer.step()\n", "")
    assert converted(text).blockers["loss.backward()"] == "step-update"


@pytest.mark.parametrize("made", ["torch.optim.lr_scheduler.StepLR(optimizer, 1)", "schedule(optimizer)"])
def test_a_schedule_is_not_taken_for_an_optimizer(made: str) -> None:
    second = "    wrong = other(net(x)).sum()\n    both.zero_grad()\n    wrong.backward()\n"
    head = f"{HEAD}both = torch.optim.SGD(found(net, other), lr=0.1)\nscheduler = {made}\n"
    text = f"{head}for x in data:\n{STEP}{second}    scheduler.step()\n    both.step()\n"
    with Context(SourceFile(text, "module.py"), MigrationOptions(version="2.8.0")) as context:
        blockers = context.shared(Conversion).blockers
    assert [one.detail for one in blockers if one.reason is Reason.STEP_OPTIMIZER] == ["both"]


def test_the_step_of_a_schedule_alone_is_no_update() -> None:
    text = f"{HEAD}sch = torch.optim.lr_scheduler.StepLR(optimizer, 1)\nfor x in data:\n"
    blockers = converted(text + STEP.replace("    optimizer.step", "    sch.step")).blockers
    assert blockers["loss.backward()"] == "step-update"


def test_what_clips_and_zeroes_beside_a_refused_step_has_its_cause() -> None:
    between = (
        "    net.zero_grad()\n    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n    optimizer.step()\n"
    )
    step = STEP.replace("backward()", "backward(x)").replace("    optimizer.step()\n", between)
    assert refused(step) == {"loss.backward(x)": "step-call"}


def test_mixed_precision_beside_a_refused_step_has_its_cause() -> None:
    region = "    with torch.autocast('cuda'):\n        loss = net(x).sum()\n"
    step = STEP.replace("    loss = net(x).sum()\n", region).replace("backward()", "backward(x)")
    assert refused(step) == {"loss.backward(x)": "step-call"}


def test_an_object_that_holds_the_optimizer_is_the_cause() -> None:
    wrapper = (
        "class Warm:\n    def __init__(self, inner):\n        self.inner = inner\n"
        "    def step(self):\n        self.inner.step()\n\n\nwarm = Warm(optimizer)\n"
    )
    step = STEP.replace("    optimizer.step()", "    warm.step()")
    answer = converted(f"{HEAD}{wrapper}for x in data:\n{step}")
    assert answer.blockers["loss.backward()"] == "step-wrapper"


def test_a_module_whose_parameters_are_chosen_one_by_one_trains_from_the_beginning() -> None:
    chosen = "[one for one in net.parameters() if one.ndim > 1]"
    text = f"{HEAD}for x in data:\n{STEP}".replace("net.parameters()", chosen)
    assert converted(text).blockers == {}


OF_FUNCTION = """
def {name}({model}):
    optimizer = torch.optim.SGD({model}.parameters(), lr=0.1)
    {model}.train()
    for x in data:
{step}
"""


def test_variables_of_one_name_in_two_functions_are_two_optimizers() -> None:
    step = STEP.replace("    ", "        ")
    functions = [
        OF_FUNCTION.format(name=name, model=model, step=step.replace("net", model))
        for name, model in (("teach", "teacher"), ("learn", "student"))
    ]
    assert converted(f"import torch\n{''.join(functions)}").blockers == {}
