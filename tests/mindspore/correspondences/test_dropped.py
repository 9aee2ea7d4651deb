"""Arguments that make no difference are not handed to the helper file, whose functions have none for them."""

from __future__ import annotations

import pytest

from ..conversion.converting import converted

HEAD = "import torch\nfrom torch import nn\n\nrows = torch.ones(3, 2)\n"


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("nn.Embedding(4, 3, padding_idx=0, sparse=True)", "Embedding(4, 3, padding_idx=0)"),
        ("nn.Embedding(4, 3, 0, None)", "Embedding(4, 3, padding_idx=0)"),
        ("nn.Embedding.from_pretrained(rows, sparse=False)", "from_pretrained(rows)"),
        (
            "nn.ConvTranspose1d(2, 3, 3, stride=2, output_padding=1, device=None)",
            "ConvTranspose1d(2, 3, 3, stride=2, output_padding=1)",
        ),
        (
            'nn.ConvTranspose1d(2, 3, 3, stride=2, output_padding=1, padding_mode="zeros")',
            "ConvTranspose1d(2, 3, 3, stride=2, output_padding=1)",
        ),
    ],
)
def test_an_argument_that_makes_no_difference_is_left_out(call: str, written: str) -> None:
    answer = converted(f"{HEAD}layer = {call}\n")
    assert not answer.blockers
    assert f"layer = like_torch.{written}\n" in answer.text


def test_one_that_makes_a_difference_keeps_the_file() -> None:
    assert converted(f"{HEAD}layer = nn.Embedding(4, 3, padding_idx=0, max_norm=1.0)\n").blockers


def test_a_call_without_them_keeps_its_arguments_as_they_are() -> None:
    answer = converted(f"{HEAD}layer = nn.Embedding(4, 3, 0)\n")
    assert "layer = like_torch.Embedding(4, 3, 0)\n" in answer.text
