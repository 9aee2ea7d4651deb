"""A training step becomes a function of which gradients are taken."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ..converting import converted, is_refused_step

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


MADE = "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"


def step(body: str) -> str:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return f"{HEAD}def train(model, loader):\n{MADE}    model.train()\n    for x, y in loader:\n{lines}"


def body_of(text: str) -> str:
    return dedent(text.partition("in loader:\n")[2]).rstrip("\n")


CANONICAL = "optimizer.zero_grad()\nloss = F.mse_loss(model(x), y)\nloss.backward()\noptimizer.step()"


def test_the_loss_becomes_a_function_and_the_optimizer_gets_the_gradients() -> None:
    text = step(CANONICAL).replace("    model.train()\n", "    model.train()\n    model.parameters()\n")
    assert body_of(converted(text).text) == dedent(
        """\
        def compute_loss():
            loss = ops.mse_loss(model(x), y)
            return loss
        loss, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
        optimizer(gradients)"""
    )
    assert "model.set_train()" in converted(text).text


def with_body(body: str) -> str:
    return step(body).replace("    model.train()\n", "    model.train()\n    model.parameters()\n")


def test_what_is_read_later_is_returned_beside_the_loss() -> None:
    body = CANONICAL.replace("loss = F.mse_loss(model(x), y)", "out = model(x)\nloss = F.mse_loss(out, y)")
    body += "\nprint(out)"
    text = body_of(converted(with_body(body)).text)
    assert "    return loss, out\n" in text
    assert "(loss, out), gradients = " in text
    assert "has_aux=True" in text


def test_what_the_function_reads_before_it_assigns_it_is_handed_in() -> None:
    body = CANONICAL.replace("loss = ", "x = model(x)\nloss = ")
    assert "def compute_loss(x=x):\n" in body_of(converted(with_body(body)).text)


def test_what_only_prepares_data_stays_before_the_function() -> None:
    body = CANONICAL.replace("loss = ", "x = F.relu(x)\nloss = ")
    assert "x = ops.relu(x)\ndef compute_loss():\n" in body_of(converted(with_body(body)).text)


def test_what_may_be_computed_of_a_parameter_is_in_the_function() -> None:
    body = CANONICAL.replace("loss = ", "x = F.relu(scale)\nloss = ")
    text = converted(with_body(body).replace("(model, ", "(model, scale, ")).text
    assert "def compute_loss():\n    x = ops.relu(scale)\n" in body_of(text)


@pytest.mark.parametrize(
    "body",
    [
        CANONICAL.replace("backward()", "backward(retain_graph=True)"),
        CANONICAL.replace("optimizer.zero_grad()\n", ""),
        CANONICAL.replace("optimizer.step()", "if x:\n    optimizer.step()"),
        CANONICAL + "\nloss.backward()",
        CANONICAL.replace("loss = ", "print(x)\nloss = ").replace("optimizer.zero_grad()\n", "loss = 0\n"),
        CANONICAL.replace("optimizer.step()", "other.step()"),
        CANONICAL.replace("loss = ", "self.loss = loss = "),
    ],
    ids=[
        "graph kept",
        "never zeroed",
        "step in a branch",
        "twice",
        "something between",
        "other",
        "attribute",
    ],
)
def test_a_step_of_another_form_is_left(body: str) -> None:
    text = with_body(body)
    answer = converted(text)
    assert answer.text == text
    assert is_refused_step(answer)


def test_the_gradients_are_clipped_between() -> None:
    clip = "torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\noptimizer.step()"
    text = body_of(converted(with_body(CANONICAL.replace("optimizer.step()", clip))).text)
    assert text.endswith("gradients = ops.clip_by_global_norm(gradients, 0.5)\noptimizer(gradients)")


def test_what_looks_at_gradients_of_parameters_is_left() -> None:
    look = "print(model.weight.grad)\noptimizer.step()"
    text = with_body(CANONICAL.replace("optimizer.step()", look))
    assert converted(text).text == text


def test_a_model_that_nothing_switches_to_training_is_left() -> None:
    text = with_body(CANONICAL).replace("    model.train()\n", "").replace(MADE, "")
    answer = converted(text)
    assert answer.text == text
    assert "mode" in answer.blockers.values()


def function(body: str, head: str = "def train(model, loader, optimizer):\n    model.train()\n") -> str:
    """A program with a loop over a loader, and one with statements before it."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"{HEAD}{head}    model.parameters()\n{lines}"


LOOP = "for x, y in loader:\n"
TRAIN = "def train(model, loader):\n    optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"


def test_the_gradients_of_several_losses_are_those_of_their_sum() -> None:
    losses = "out = model(x)\na = F.mse_loss(out, y)\nloss = out.mean()"
    body = CANONICAL.replace("loss = F.mse_loss(model(x), y)", losses)
    body = body.replace("loss.backward()", "a.backward(retain_graph=True)\nloss.backward()")
    text = body_of(converted(with_body(body)).text)
    assert "    return a + loss\n" in text
    assert "_, gradients = ms.value_and_grad(" in text


def test_the_gradients_of_several_turns_are_added_up() -> None:
    body = (
        "optimizer.zero_grad()\nfor i, (x, y) in enumerate(loader):\n    loss = F.mse_loss(model(x), y) / 4\n"
        "    loss.backward()\n    if (i + 1) % 4 == 0:\n"
        "        optimizer.step()\n        optimizer.zero_grad()"
    )
    text = converted(function(body)).text
    pairs = "tuple(a + b for a, b in zip(gradient_sum, gradients))"
    assert "    gradient_sum = None\n    for i, (x, y)" in text
    assert f"gradient_sum = gradients if gradient_sum is None else {pairs}\n" in text
    assert "        if (i + 1) % 4 == 0:\n            like_torch.update(optimizer, gradient_sum)\n" in text
    assert text.count("gradient_sum = None\n") == 2


def test_gradients_that_no_turn_has_zeroed_before_the_first_are_left() -> None:
    body = (
        "for i, (x, y) in enumerate(loader):\n    loss = F.mse_loss(model(x), y) / 4\n    loss.backward()\n"
        "    if (i + 1) % 4 == 0:\n        optimizer.step()\n        optimizer.zero_grad()"
    )
    assert is_refused_step(converted(function(body)))


@pytest.mark.parametrize(
    "body",
    [
        "for x, y in loader:\n    out = model(x)\n    if y is not None:\n        optimizer.zero_grad()\n"
        "        loss = F.mse_loss(out, y)\n        loss.backward()\n        optimizer.step()",
        "for x, y in loader:\n    optimizer.zero_grad()\n    loss = F.mse_loss(x, y)\n    loss.backward()\n"
        "    optimizer.step()",
    ],
    ids=["a block around computes it", "no model is called"],
)
def test_a_loss_whose_graph_comes_from_elsewhere_is_left(body: str) -> None:
    assert is_refused_step(converted(function(body)))


def test_a_step_that_is_handed_what_a_model_gives_is_left() -> None:
    body = "optimizer.zero_grad()\nloss = F.mse_loss(model(fake), fake)\nloss.backward()\noptimizer.step()"
    text = function(body, "def train(model, fake, optimizer):\n    model.train()\n")
    made = "\n\ndef main(g, d, o, z):\n    g.parameters()\n    train(d, g(z), o)\n"
    assert converted(text).blockers == {}
    assert is_refused_step(converted(text + made))
    assert converted(text + made.replace("g(z)", "g(z).detach()")).blockers == {}


@pytest.mark.parametrize("owner", ["model.head", "other"])
def test_clipping_of_other_parameters_is_left(owner: str) -> None:
    clip = f"torch.nn.utils.clip_grad_norm_({owner}.parameters(), 0.5)\noptimizer.step()"
    assert is_refused_step(converted(with_body(CANONICAL.replace("optimizer.step()", clip))))


def test_with_several_optimizers_each_step_must_call_its_own_model() -> None:
    head = "def train(model, other, loader):\n    model.train()\n    other.parameters()\n"
    made = "optimizer = torch.optim.SGD(WHICH.parameters(), 0.1)\n"
    made += "second = torch.optim.SGD(other.parameters(), 0.1)\n"
    loop = LOOP + "\n".join(f"    {line}" for line in CANONICAL.split("\n"))
    assert converted(function(made.replace("WHICH", "model") + loop, head)).blockers == {}
    assert is_refused_step(converted(function(made.replace("WHICH", "other") + loop, head)))


def test_a_model_that_nothing_ever_switches_trains_from_the_beginning() -> None:
    head = TRAIN
    loop = LOOP + "\n".join(f"    {line}" for line in CANONICAL.split("\n"))
    text = converted(function(loop, head)).text
    assert "    model.set_train()\n    for x, y in loader:\n" in text
    evaluated = function(loop, head) + "\n\ndef test(model):\n    model.eval()\n"
    assert "mode" in converted(evaluated).blockers.values()


def test_the_gradients_of_the_model_may_be_zeroed_in_place_of_the_optimizers() -> None:
    head = f"{TRAIN}    model.train()\n"
    loop = LOOP + "\n".join(f"    {line}" for line in CANONICAL.split("\n"))
    text = function(loop, head).replace("optimizer.zero_grad", "model.zero_grad")
    assert converted(text).blockers == {}
    assert is_refused_step(converted(text.replace("model.zero_grad", "loader.zero_grad")))


def test_a_call_of_an_optimizer_outside_of_a_step_goes_or_is_left() -> None:
    head = f"{TRAIN}    model.train()\n"
    loop = LOOP + "\n".join(f"    {line}" for line in CANONICAL.split("\n"))
    before = converted(function(f"optimizer.zero_grad()\n{loop}", head))
    assert before.blockers == {}
    assert "zero_grad" not in before.text
    assert is_refused_step(converted(function(f"{loop}\noptimizer.step()", head)))


LOSSES = """\
import torch
import torch.nn.functional as F


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        first = F.cross_entropy(model(x), y)
{between}        second = F.mse_loss(model(x), y)
{behind}        second.backward()
        optimizer.step()
"""
SUMMED = """\
        def compute_loss():
            first = ops.cross_entropy(model(x), y)
            second = ops.mse_loss(model(x), y)
            return first + second
        _, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
        optimizer(gradients)
"""


@pytest.mark.parametrize("between", [True, False], ids=["apart", "together"])
def test_several_losses_of_a_step_are_one_and_their_statements_go(between: bool) -> None:
    line = "        first.backward()\n"
    text = LOSSES.format(between=line if between else "", behind="" if between else line)
    assert converted(text).text.endswith(f"    for x, y in loader:\n{SUMMED}")


@pytest.mark.parametrize(
    ("line", "parameters"),
    [
        pytest.param("h = F.dropout(model(x), p=0.1)", "", id="a name of an argument"),
        pytest.param("h = F.dropout(model(x), p)", "p=p", id="read as an argument"),
        pytest.param("h = F.dropout(model(x), p=p)", "p=p", id="both"),
        pytest.param("h = model(x) + x.p", "", id="an attribute"),
    ],
)
def test_what_a_step_reads_before_it_gives_it_another_value_is_given_to_it(
    line: str, parameters: str
) -> None:
    text = LOSSES.format(between=f"        {line}\n        p = h + 1\n", behind="")
    text = text.replace("    model.train()\n", "    model.train()\n    p = 0.1\n").replace(
        "mse_loss(model(x)", "mse_loss(p"
    )
    assert f"        def compute_loss({parameters}):\n" in converted(text).text


TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, model, weight):
        self.model, self.factor = model, weight
        self.optimizer = torch.optim.SGD(model.parameters(), 0.1)
        self.model.train()

    def step(self, x: torch.Tensor, y: torch.Tensor):
        loss = self.factor * (self.model(x) - y).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def other(self):
        OTHER


trainer = Trainer(nn.Linear(2, 1), 0.5)
trainer.step(torch.ones(3, 2), torch.ones(3, 1))
"""


@pytest.mark.parametrize(
    ("other", "is_converted"),
    [
        ("return self.factor * 2", True),
        ("self.factor = self.model.bias * 2", False),
        ("self.factor, other = self.model.bias * 2, 1", False),
    ],
)
def test_an_attribute_that_is_only_read_has_no_graph(other: str, is_converted: bool) -> None:
    assert (converted(TRAINER.replace("OTHER", other)).blockers == {}) is is_converted


def test_a_module_that_a_loop_makes_needs_no_switch_where_modes_are_the_same() -> None:
    made = "import torch\nfrom torch import nn\n\nfor fold in range(3):\n    net = {}\n"
    step = """    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in data:
        loss = net(x).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
    answer = converted(made.format("nn.Linear(3, 1)") + step)
    assert answer.blockers == {} and "set_train" not in answer.text
    text = converted(made.format("nn.Sequential(nn.Linear(3, 1), nn.Dropout(0.5))") + step).text
    assert "nn.Dropout(p=0.5)).set_train()\n" in text


def test_a_method_that_zeroes_may_say_so() -> None:
    text = """import torch
from torch import nn

class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def clear(self):
        \"\"\"Set the gradients to zero.\"\"\"
        self.opt.zero_grad()

    def fit(self, data):
        self.model.train()
        for x in data:
            self.clear()
            loss = self.model(x).sum()
            loss.backward()
            self.opt.step()
"""
    assert converted(text).blockers == {}


GROUPS = """\
def groups(net, decay):
    decayed, others = [], []
    for name, p in net.named_parameters():
        (others if p.ndim < 2 else decayed).append(p)
    return [{"params": decayed, "weight_decay": decay}, {"params": others}]


def main():
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(GIVEN)
    for x in torch.ones(4, 3, 2):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""


@pytest.mark.parametrize("given", ["groups(model, 0.1)", "groups(decay=0.1, net=model)"])
def test_a_function_of_the_file_may_group_the_parameters(given: str) -> None:
    assert converted(HEAD + GROUPS.replace("GIVEN", given)).blockers == {}


PARTS = """\
class Judge:
    def score(self, x):
        return first(x)


def score(x):
    return CALLED(x).sum()


def main():
    global first
    first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD([{"params": first.parameters()}, {"params": second.parameters()}], lr=0.1)
    for x in torch.ones(4, 3, 2):
        optimizer.zero_grad()
        loss = score(second(x))
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("called", ["first", "abs"])
def test_a_function_is_not_a_method_with_its_name(called: str) -> None:
    refused = is_refused_step(converted(HEAD + PARTS.replace("CALLED", called)))
    assert refused is (called == "abs")
