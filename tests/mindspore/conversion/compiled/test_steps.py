"""``--graph``: a step is compiled once, and given what differs from step to step."""

from __future__ import annotations

import pytest

from ..converting import Converted, converted

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"
LOOP = (
    f"{HEAD}def train(model, batches, optimizer, scale):\n    model.train()\n"
    "    for epoch in range(2):\n        for x, y in batches:\n            optimizer.zero_grad()\n"
    "            loss = F.mse_loss(model(x), y) * scale\n            loss.backward()\n"
    "            optimizer.step()\n"
)
TRAINER = (
    f"{HEAD}class Trainer:\n    def __init__(self):\n        self.model = torch.nn.Linear(2, 1)\n"
    "        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)\n\n"
    "    def step(self, x, y):\n        self.model.train()\n        self.optimizer.zero_grad()\n"
    "        loss = F.mse_loss(self.model(x), y)\n        loss.backward()\n        self.optimizer.step()\n"
)


def graph(text: str) -> Converted:
    return converted(text, target="mindspore", graph=True)


def test_the_function_is_compiled_before_its_first_call_and_kept_over_all_loops() -> None:
    assert graph(LOOP).text.endswith(
        "    model.set_train()\n    take_gradients = None\n    for epoch in range(2):\n"
        "        for x, y in batches:\n            def compute_loss(x, y):\n"
        "                loss = ops.mse_loss(model(x), y) * scale\n                return loss\n"
        "            if take_gradients is None:\n"
        "                take_gradients = ms.jit("
        "ms.value_and_grad(compute_loss, None, optimizer.parameters))\n"
        "            loss, gradients = take_gradients(x, y)\n            optimizer(gradients)\n"
    )


def test_without_the_option_nothing_is_compiled() -> None:
    text = converted(LOOP).text
    assert "compute_loss()" in text and "jit" not in text


def test_what_the_loop_assigns_is_an_argument() -> None:
    text = LOOP.replace("        for x, y", "        weight = 1.0 + epoch\n        for x, y")
    assert "take_gradients(x, y, weight)" in graph(text.replace("* scale", "* scale * weight")).text


def test_what_a_step_carries_on_to_the_next_is_an_argument() -> None:
    text = LOOP.replace("    for epoch", "    seen = torch.zeros(1)\n    for epoch")
    text = text.replace("* scale\n", "* scale\n            seen = seen + loss.detach()\n")
    made = graph(text.replace("seen = seen + loss.detach()\n            loss", "loss"))
    assert "compute_loss(x, y)" in made.text
    text = text.replace("loss = F.mse_loss(model(x), y) * scale", "loss = F.mse_loss(model(x), y) + 0 * seen")
    assert "seen" in graph(text).text.partition("def compute_loss(")[2].partition(")")[0]


def test_variables_of_comprehensions_are_none() -> None:
    text = LOOP.replace("model(x), y) * scale", "sum([model(part) for part in x]), y)")
    assert "take_gradients(x, y)" in graph(text).text


def test_a_method_keeps_it_on_its_object() -> None:
    text = graph(TRAINER).text
    assert "def compute_loss(x, y):" in text
    assert "if getattr(self, 'take_gradients', None) is None:" in text
    assert "loss, gradients = self.take_gradients(x, y)" in text


def test_gradients_are_averaged_behind_the_graph() -> None:
    text = converted(LOOP, target="mindspore", graph=True, distributed=True).text
    taken, averaged = text.index("= take_gradients(x, y)"), text.index("optimizer_reducer(gradients)")
    assert taken < averaged and text.count("take_gradients = None") == 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("* scale", "* scale + random.random()", "graph-frozen"),
        ("F.mse_loss(model(x), y)", "F.mse_loss(model(x), torch.ones(1) * x.numpy().max())", "graph-frozen"),
        (
            "            loss.backward()",
            "            loss.backward()\n            scale['a'] = 3",
            "graph-frozen",
        ),
        ("for epoch", "for model", "graph-step"),
    ],
)
def test_what_a_graph_cannot_hold_is_refused(old: str, new: str, reason: str) -> None:
    text = LOOP.replace("import torch\n", "import random\nimport torch\n", 1)
    assert graph(text).blockers == {}
    changed = text.replace(old, new)
    answer = graph(changed)
    assert reason in answer.blockers.values()
    assert answer.text == changed


def test_text_that_means_something_else_in_a_graph_is_other_text() -> None:
    text = LOOP.replace("model(x), y)", "model(x).transpose(0, 1), y)")
    assert "model(x).transpose(0, 1)" in converted(text).text
    assert "model(x).swapaxes(0, 1)" in graph(text).text


def test_what_partial_made_has_other_gradients() -> None:
    text = LOOP.replace("F.mse_loss(model", "loss_of(model").replace(HEAD, f"{HEAD}loss_of = 0\n\n\n")
    partial = text.replace("loss_of = 0", "loss_of = partial(F.mse_loss, reduction='sum')")
    partial = f"from functools import partial\n{partial}"
    answer = graph(partial)
    assert "graph-gradient" in answer.blockers.values() and answer.text == partial
    assert (
        "graph-gradient" not in graph(text.replace("loss_of = 0", "loss_of = F.mse_loss")).blockers.values()
    )


def test_a_loss_that_has_no_name_is_compiled_too() -> None:
    text = LOOP.replace("            loss = F.mse_loss(model(x), y) * scale\n", "")
    made = graph(text.replace("loss.backward()", "F.mse_loss(model(x), y).backward()"))
    assert made.blockers == {} and "def compute_loss(x, y):" in made.text


def test_a_function_without_a_loop_would_be_compiled_in_each_call() -> None:
    text = (
        f"{HEAD}def step(model, x, y, optimizer):\n    model.train()\n    optimizer.zero_grad()\n"
        "    loss = F.mse_loss(model(x), y)\n    loss.backward()\n    optimizer.step()\n"
    )
    assert converted(text).blockers == {}
    assert "graph-step" in graph(text).blockers.values()


def test_two_steps_in_a_loop_would_share_a_name() -> None:
    step = LOOP.partition("        for x, y in batches:\n")[2]
    text = f"{LOOP}        for x, y in batches:\n{step}"
    assert converted(text).blockers == {}
    assert "graph-step" in graph(text).blockers.values()
