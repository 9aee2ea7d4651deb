"""Attention that is asked for no weights gives one value there, and two in torch."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2)

    def forward(self, x):
        GIVEN
        return out
"""


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("out, _ = self.attention(x, x, x, need_weights=False)", "out, _ = self.attention(x, x, x)"),
        ("pair = self.attention(x, x, x, need_weights=x.ndim > 2)", "pair = self.attention(x, x, x)"),
        ("out = self.attention(x, x, x, need_weights=False)[0]", None),
        ("out, w = self.attention(x, x, x, need_weights=True)", None),
    ],
)
def test_it_gives_both_where_not_one_is_picked(given: str, made: str | None) -> None:
    answer = converted(TEXT.replace("GIVEN", given))
    assert answer.blockers == {}
    assert f"        {made or given}\n" in answer.text
