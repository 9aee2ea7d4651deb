"""Which variables are parameters."""

from __future__ import annotations

import pytest

from ..converting import converted


@pytest.mark.parametrize(
    "loop",
    [
        "for p in net.parameters():",
        "for name, p in net.named_parameters():",
        "for i, p in enumerate(net.parameters()):",
        "for q, p in zip(others, net.parameters()):",
        "for (n, q), (m, p) in zip(others, net.named_parameters()):",
        "for p in optimizer.param_groups[0]['params']:",
    ],
)
def test_a_loop_gives_parameters(loop: str) -> None:
    head = "import torch\n\n\ndef f(net: torch.nn.Module, others, optimizer):\n"
    text = f"{head}    {loop}\n        p.data = p + 1\n"
    assert "        ops.assign(p, p + 1)\n" in converted(text).text


@pytest.mark.parametrize("loop", ["for p in others:", "for p, q in net.named_parameters():"])
def test_other_variables_are_none(loop: str) -> None:
    text = f"import torch\n\n\ndef f(net: torch.nn.Module, others):\n    {loop}\n        p.data = p + 1\n"
    assert "ops.assign" not in converted(text).text
