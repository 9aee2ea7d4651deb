"""Tensors in formatted text."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\n\nx = torch.zeros(3)\nn = 3\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('print(f"{x.sum():.4f} {n:3d}")', '{x.sum().item():.4f} {n:3d}"'),
        ('print("{:.4f} {}".format(x.mean(), x))', ".format(x.mean().item(), x))"),
        ('print("{n:d} {x:.4f}".format(n=n, x=x.mean()))', ".format(n=n, x=x.mean().item()))"),
        ('print(f"{x.sum() / n:.4f}")', "{(x.sum() / n).item():.4f}"),
    ],
)
def test_a_tensor_with_a_format_is_a_number(text: str, written: str) -> None:
    assert written in converted(f"{HEAD}{text}\n").text


def test_a_tensor_without_a_format_is_shown_as_it_is() -> None:
    assert 'print(f"{x.sum()} {x}")' in converted(f'{HEAD}print(f"{{x.sum()}} {{x}}")\n').text
