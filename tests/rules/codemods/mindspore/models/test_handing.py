"""Classes that are handed on, and what they may be given."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch.nn as nn\nfrom torch.optim import SGD\n\n\ndef block(norm=nn.BatchNorm2d):\n"


@pytest.mark.parametrize("call", ["norm(8)", "norm(8, eps=1e-3)"])
def test_a_class_may_be_called_under_another_name(call: str) -> None:
    answer = converted(
        f"{HEAD}    return {call}\n\n\ndef train(net):\n    return SGD(net.parameters(), 0.1, momentum=0.9)\n"
    )
    assert f"return {call}" in answer.text
    assert answer.blockers == {}


@pytest.mark.parametrize("call", ["norm(8, momentum=0.1)", "norm(8, 1e-3, 0.1)", "norm(*given)"])
def test_not_with_what_means_something_else_there(call: str) -> None:
    assert "class" in converted(f"{HEAD}    return {call}\n").blockers.values()


def test_a_class_may_be_asked_for() -> None:
    head = "import torch.nn as nn\n\n\ndef made(m) -> nn.Conv2d:\n"
    text = f"{head}    return isinstance(m, (nn.Linear, nn.Conv2d))\n"
    assert converted(text).text.endswith(
        "def made(m) -> nn.Conv2d:\n    return isinstance(m, (nn.Dense, nn.Conv2d))\n"
    )
