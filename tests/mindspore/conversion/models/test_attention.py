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


READ = ["if w is not None:\n            out = out + w", "return out, w", "self.weights.append(w)"]


@pytest.mark.parametrize("rest", READ)
@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("False", "(self.attention(x, x, x, need_weights=False)[0], None)"),
        ("self.asked", "(*self.attention(x, x, x, need_weights=self.asked), None)[:2]"),
    ],
)
def test_weights_that_are_read_stay_none(rest: str, given: str, made: str) -> None:
    call = f"self.attention(x, x, x, need_weights={given})"
    answer = converted(TEXT.replace("GIVEN", f"out, w = {call}\n        {rest}"))
    assert answer.blockers == {}
    assert f"        out, w = {made}\n" in answer.text


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("return self.attention(x, x, x, need_weights=False)", "return (CALL[0], None)"),
        ("pair = self.attention(x, x, x, need_weights=False); out, w = pair", "pair = (CALL[0], None); "),
        ("out, self.w = self.attention(x, x, x, need_weights=False)", "out, self.w = (CALL[0], None)\n"),
    ],
)
def test_so_do_those_that_are_kept_or_handed_on(given: str, made: str) -> None:
    text = converted(TEXT.replace("GIVEN", given)).text
    assert f"        {made.replace('CALL', 'self.attention(x, x, x, need_weights=False)')}" in text


def test_a_pair_of_which_the_first_is_picked_has_its_weights_unread() -> None:
    given = "pair = self.attention(x, x, x, need_weights=False)\n        out = pair[0]"
    text = converted(TEXT.replace("GIVEN", given)).text
    assert "        pair = self.attention(x, x, x)\n" in text


def test_other_modules_keep_a_flag_of_this_name() -> None:
    own = "class Own(nn.Module):\n    def forward(self, x, need_weights):\n        return x\n"
    given = "out = self.own(x, need_weights=False)"
    text = TEXT.replace("GIVEN", given).replace(
        "        self.attention", "        self.own = Own()\n        self.attention"
    )
    assert f"        {given}\n" in converted(text.replace("class Block", f"{own}\n\nclass Block")).text
