"""Weights of layers have other names where the layer is a norm or an embedding."""

from __future__ import annotations

from textwrap import indent

import pytest

from ..converting import converted

HEAD = "import torch\nimport torch.nn as nn\n\n\n"
NET = f"""{HEAD}class Net(nn.Module):
    def __init__(self, norm=nn.BatchNorm2d):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)
        self.bn = norm(8)
        self.table = nn.Embedding(3, 8)
        self.head = nn.Linear(8, 3)
"""


def line_of(body: str) -> tuple[str, dict[str, str]]:
    """The last line of the class with a body behind its layers, and what prevents the conversion."""
    answer = converted(NET + indent(body, "        ") + "\n")
    return answer.text.rstrip("\n").rpartition("\n")[2].strip(), answer.blockers


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(self.conv.weight)", "print(self.conv.weight)"),
        ("print(self.bn.weight)", "print(self.bn.gamma)"),
        ("print(self.bn.running_var)", "print(self.bn.moving_variance)"),
        ("self.head.weight = self.table.weight", "self.head.weight = self.table.embedding_table"),
        ("self.table.weight = self.head.weight", "self.table.embedding_table = self.head.weight"),
    ],
)
def test_a_weight_is_named_as_its_layer_names_it(before: str, after: str) -> None:
    assert line_of(before)[0] == after


@pytest.mark.parametrize(
    ("condition", "name"),
    [
        ("isinstance(m, nn.Linear)", "weight"),
        ("isinstance(m, (nn.BatchNorm2d, nn.GroupNorm))", "gamma"),
        ("isinstance(m, nn.Embedding)", "embedding_table"),
        ("ready and isinstance(m, nn.LayerNorm)", "gamma"),
    ],
)
def test_a_test_for_a_class_says_which_layer_it_is(condition: str, name: str) -> None:
    line, _ = line_of(f"for m in self.modules():\n    if {condition}:\n        print(m.weight)")
    assert line == f"print(m.{name})"


def test_a_test_for_the_name_of_a_class_says_it_too() -> None:
    named = f"{HEAD}def init(m):\n    name = m.__class__.__name__\n"
    text = f"{named}    if name.find('BatchNorm') != -1:\n        print(m.bias)\n"
    assert converted(text).text.endswith("        print(m.beta)\n")


@pytest.mark.parametrize(
    "body",
    [
        "for m in self.modules():\n    m.weight",
        "for m in self.modules():\n    if isinstance(m, (nn.Conv2d, nn.BatchNorm2d)):\n        m.weight",
        "for m in self.modules():\n    if not isinstance(m, nn.Conv2d):\n        m.weight",
        "for m in self.modules():\n    if isinstance(m, nn.Conv2d) or m:\n        m.weight",
    ],
    ids=["no test", "classes that differ", "negated", "one of two"],
)
def test_a_weight_of_a_layer_that_is_not_known_is_left(body: str) -> None:
    assert "receiver" in line_of(body)[1].values()


def test_a_norm_that_may_have_no_weights_is_left() -> None:
    text = NET.replace("norm(8)", "nn.BatchNorm2d(8, affine=False)") + "        print(self.bn.weight)\n"
    assert converted(text).blockers["self.bn.weight"] == "receiver"


def test_a_setting_of_that_name_is_no_weight() -> None:
    assert line_of("print(self.config.bias)")[0] == "print(self.config.bias)"


@pytest.mark.parametrize(("name", "is_converted"), [("self", True), ("this", False)])
def test_the_first_parameter_of_a_forward_is_self(name: str, is_converted: bool) -> None:
    """Graphs refuse another name."""
    text = f"{HEAD}class Net(nn.Module):\n    def forward({name}, x):\n        return torch.relu(x)\n"
    assert (converted(text).blockers == {}) is is_converted
