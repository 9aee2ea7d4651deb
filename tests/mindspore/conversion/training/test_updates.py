"""Updates in place, which give the name a new tensor in MindSpore."""

from __future__ import annotations

import pytest

from ..converting import converted


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.zeros(3)\ny = x\ny += 1\n",
        "def f(x):\n    y = torch.relu(x)\n    x += y.view(3)\n    return x.unsqueeze(0)\n",
        "x = torch.zeros(3)\ny = x[0]\ny *= 2\n",
    ],
    ids=["another name", "a parameter", "a part"],
)
def test_an_update_of_what_may_have_another_name_keeps_the_file(code: str) -> None:
    text = f"import torch\n\n{code}"
    answer = converted(text)
    assert answer.text == text
    assert "update" in answer.blockers.values()


def test_an_update_of_a_result_or_of_a_number_is_converted() -> None:
    text = "import torch\n\ny = torch.zeros(3)\ny += 1\ncount = 0\ncount += 1\n"
    assert converted(text).text.endswith("\n\ny = ops.zeros(3)\ny += 1\ncount = 0\ncount += 1\n")


@pytest.mark.parametrize(
    "body",
    [
        "self.one = nn.Linear(width, 3)\n        width += 1",
        "while width:\n            width -= 1",
        "while width - 1:\n            width -= 1",
        "last = int(width * rate)\n        width = last\n        width += rate",
        "self.add(width)\n"
        "\n\n    def add(self, size):\n        size += 1\n\n    def f(self):\n        self.add(4)",
    ],
    ids=["a size of a layer", "a counter", "a counter that is compared", "a whole number", "of all callers"],
)
def test_an_update_of_a_size_is_converted(body: str) -> None:
    head = "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self, width, rate):\n"
    text = f"{head}        {body}\n"
    text = text.replace("self.add(width)", "self.add(3)")
    assert converted(text).blockers == {}
    unknown = text.replace("self.one = nn.Linear(width, 3)", "self.one = width").replace("while", "if")
    assert unknown == text or "update" in converted(unknown).blockers.values()
