"""What the vendor's tools advise, and this one does not."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.inference.models.code import ModelCode
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of

LEFT_ALONE = {
    "a product of matrices": "y = torch.matmul(a, b)",
    "a product with a transposed matrix": "y = torch.matmul(a, b.transpose(-2, -1))",
    "a linear layer": "layer = torch.nn.Linear(16, 16)",
    "a change of shape": "y = x.reshape(4, -1)",
    "an approximation of GELU": "y = x * torch.sigmoid(1.702 * x)",
    "a class by its name": "class DropPath(torch.nn.Module):\n    def __init__(self, drop_prob=None): ...",
    "a move to another type": "y = x.to(torch.float16)",
    "a range for a profiler": "y = torch.arange(4)",
}


def advised(text: str) -> tuple[Finding, ...]:
    found = check(SourceFile(text, "a.py"), options_from({"version": "2.8.0"}))
    return tuple(finding for finding in found if finding.is_advice or finding.kind == "affinity")


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_left_alone(name: str) -> None:
    training = "import torch\nfor x in loader:\n    loss = model(x)\n    loss.backward()\n"
    assert advised(f"{training}    n = loss.item()\n") != ()
    assert advised(f"{training}{LEFT_ALONE[name]}\n") == ()


def test_a_neighbour_of_what_is_left_alone_is_found() -> None:
    """The control: the same training with something to advise."""
    text = "import torch\nfor x in loader:\n    loss = model(x)\n    loss.backward()\n    n = loss.item()\n"
    assert [finding.code for finding in advised(text)] == ["ADV103"]


LAYER = (
    "import torch\nclass Layer(torch.nn.Module):\n"
    "    def __init__(self):\n        self.layer = torch.nn.Linear(4, 4)\n"
    "    def forward(self, x, picked):\n        y = self.layer(x)\n"
)


@pytest.mark.parametrize(
    ("index", "asked"), [("[:, 0]", 0), ("[..., None]", 0), ("[0]['key']", 0), ("[picked.long()]", 1)]
)
def test_what_is_indexed_is_asked_for_only_where_an_index_may_be_a_tensor(
    index: str, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_tensor = ModelCode.is_tensor
    values: list[str] = []

    def noted(code: ModelCode, expression: Node) -> bool:
        values.append(text_of(expression))
        return is_tensor(code, expression)

    monkeypatch.setattr(ModelCode, "is_tensor", noted)
    found = advised(f"{LAYER}        return y{index}\n")
    assert values.count("y") == asked
    assert ("ADV102" in {finding.code for finding in found}) == bool(asked)
