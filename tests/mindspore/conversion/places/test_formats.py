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


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('def show(w):\n    print(f"{w:.2f}")', '{like_torch.number(w):.2f}"'),
        ('def show(w):\n    print("{:6.3f}".format(w))', ".format(like_torch.number(w))"),
        ('def show(w):\n    print(format(w, ".2f"))', 'format(like_torch.number(w), ".2f")'),
        ("def show(text, w):\n    print(text.format(w))", "text.format(like_torch.number(w))"),
        ("def show(text, m):\n    print(text.format(**m.__dict__))", "(**like_torch.numbers(m.__dict__))"),
        ('def show(w):\n    print(f"{w.avg / 2:.2f}")', "{like_torch.number(w.avg / 2):.2f}"),
    ],
)
def test_what_may_be_a_tensor_goes_by_the_helper(text: str, written: str) -> None:
    answer = converted(f"{HEAD}{text}\n")
    assert written in answer.text and answer.parts == {"number"}


@pytest.mark.parametrize(
    "text",
    [
        'def show(w):\n    print(f"{w} {w:3d} {len(w):.1f}")',
        'for i in range(3):\n    print(f"{i:.1f} {i / 2:.1f}")',
        'import time\nprint(f"{time.time() - 3:.2f}")',
        'print("{:.2f}".format(float(n)))',
        'def show(w):\n    print("{}".format(w))',
    ],
)
def test_what_is_a_number_or_has_no_format_stays(text: str) -> None:
    assert text in converted(f"{HEAD}{text}\n").text


def test_a_sum_that_several_variables_carry_on_ends() -> None:
    text = (
        "import torch\n\nfirst = second = load()\nfor x in data:\n    first = second + x\n"
        "    second = first + x\n    print(f'{first:.3f}')\n"
    )
    assert "like_torch.number(first)" in converted(text).text


RATES = """import torch
from torch import nn

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(opt, 1)
"""


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('f"{scheduler.get_last_lr()[0]:.5f}"', 'f"{scheduler.get_last_lr()[0].item():.5f}"'),
        ("""f"{opt.param_groups[0]['lr']:.5f}\"""", """f"{opt.param_groups[0]['lr'].item():.5f}\""""),
    ],
)
def test_a_rate_with_a_format_is_a_number_already(text: str, written: str) -> None:
    assert f"print({written})" in converted(f"{RATES}print({text})\n").text


@pytest.mark.parametrize("shown", ["math.exp(n)", "np.sqrt(n)", "math.pow(n, 2)"])
def test_a_function_of_a_library_that_tensors_have_as_a_method_gives_a_number(shown: str) -> None:
    head = f"import math\nimport numpy as np\n{HEAD}"
    assert f'print(f"{{{shown}:.2f}}")' in converted(f'{head}print(f"{{{shown}:.2f}}")\n').text
