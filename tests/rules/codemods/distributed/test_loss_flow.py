"""Whether what a call computes is trained: it flows into what ``backward`` is called of."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.distributed.data.gradients import is_trained
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import ancestors


def trained(text: str, call: str = "f(x)") -> bool:
    """Whether a call of a text is trained, by its first occurrence."""
    source = SourceFile(dedent(text))
    start = source.data.index(call.encode())
    node = source.node_at(start, start + len(call))
    assert node is not None
    found = next(item for item in (node, *ancestors(node)) if item.type == "call")
    return is_trained(source, found)


TRAINED = {
    "by itself": "f(x).backward()\n",
    "a part of what is": "(f(x) + g(x)).sum().backward()\n",
    "an argument of backward": "fabric.backward(f(x))\n",
    "by Lightning's hand": "self.manual_backward(f(x))\n",
    "in a variable": "loss = f(x)\nloss.backward()\n",
    "in a variable that backward is given": "loss = f(x)\nscaler.backward(loss)\n",
    "in a sum": "loss = 0\nloss += f(x)\nloss.backward()\n",
    "on a longer way": "y = f(x)\nz = y + 1\nloss = g(z)\nloss.backward()\n",
    "on a way that is written backwards": "loss = g(z)\nz = h(y)\ny = f(x)\nloss.backward()\n",
    "by way of a method": "y = f(x)\nloss = y.mean()\nloss.sum().backward()\n",
    "one of several": "y, z = f(x)\nz.backward()\n",
    "in an attribute": "self.loss = f(x)\nself.loss.backward()\n",
    "what a step gives": "def training_step(x):\n    return f(x)\n",
    "what a loss gives": "def compute_loss(x):\n    return f(x)\n",
    "what forward gives": "def forward(x):\n    return f(x).sum()\n",
}


@pytest.mark.parametrize("text", TRAINED.values(), ids=TRAINED)
def test_what_flows_into_a_loss_is_trained(text: str) -> None:
    assert trained(text)


OTHERS = {
    "nothing that is": "f(x)\n",
    "a value that nobody uses": "y = f(x)\n",
    "another value": "y = f(x)\nloss = g(x)\nloss.backward()\n",
    "a value of another function": "def a(x):\n    y = f(x)\ndef b(y):\n    y.backward()\n",
    "what comes of the loss": "loss = g(x)\nloss.backward()\ny = f(x) + loss\n",
    "what another function gives": "def evaluate(x):\n    return f(x)\n",
    "what a step computes and does not give": "def training_step(x):\n    y = f(x)\n",
    "what a step does": "def training_step(x):\n    f(x)\n    return 1\n",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_flows_elsewhere_is_not(text: str) -> None:
    assert not trained(text)


def test_the_model_that_is_updated_by_itself_is_no_value() -> None:
    text = "model = model.to(d)\nloss = model(x)\nloss.backward()\n"
    assert not trained(text, "model.to(d)")
    assert trained(text, "model(x)")
