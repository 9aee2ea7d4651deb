"""A method in place becomes an assignment of a new tensor, where no other name has the old one."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\n\n\ndef fill(places: torch.Tensor):\n    x = torch.zeros(4, 4)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.fill_diagonal_(-1e9)", "x = like_torch.fill_diagonal(x, -1e9)"),
        ("x.scatter_(1, places, 1)", "x = like_torch.scatter(x, 1, places, 1)"),
        ("x.scatter_(1, places, value=share)", "x = like_torch.scatter(x, 1, places, share)"),
    ],
)
def test_a_new_tensor_gets_the_name(before: str, after: str) -> None:
    assert f"    {after}\n" in converted(f"{HEAD}    {before}\n    return x\n").text


@pytest.mark.parametrize("call", ["x.fill_diagonal_(2)", "x.scatter_(1, places, 1)"])
def test_a_tensor_of_two_names_is_left(call: str) -> None:
    text = f"{HEAD}    flat = x.view(-1)\n    {call}\n    return flat\n"
    assert set(converted(text).blockers.values()) == {"update"}
