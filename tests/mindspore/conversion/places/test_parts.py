"""Parts that a mask or a tensor gives are set in a new tensor there: what shares memory keeps its values."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\n\n\ndef change(x: torch.Tensor, mask: torch.Tensor, i):\n"


def reasons(body: str) -> set[str]:
    return set(converted(HEAD + "".join(f"    {line}\n" for line in body.splitlines())).blockers.values())


@pytest.mark.parametrize(
    "body",
    [
        "x.view(-1)[mask] = 0\nreturn x",
        "x.T[mask > 1] = 0\nreturn x",
        "x[0].flatten()[mask] += 1\nreturn x",
        "flat = x.view(-1)\nflat[mask] = 0\nreturn x",
        "first = x[0]\nx[mask] = 0\nreturn first",
        "first = x.t()\nx[[0, 1]] = 0\nreturn first",
        "y = x\nfirst = x[0]\ny[mask] = 0\nreturn first",
        "for _ in range(3):\n    print(first)\n    first = x[0]\n    x[mask] = 0",
    ],
)
def test_a_part_that_another_name_would_see_keeps_the_file(body: str) -> None:
    assert reasons(body) == {"part"}


@pytest.mark.parametrize(
    "body",
    [
        "x[mask] = 0\nreturn x",
        "x[0][mask] = 0\nreturn x",
        "x.view(-1)[3] = 0\nreturn x",
        "flat = x.view(-1)\nflat[mask] = 0\nreturn flat",
        "y = torch.zeros(6).view(2, 3)\ny[mask] = 0\nreturn torch.relu(y)",
        "first = x[0]\nx[1:, 2] = 0\nreturn first",
        "first = x[0].clone()\nx[mask] = 0\nreturn first",
        "first = x[0]\nprint(first)\nx[mask] = 0\nreturn x",
        "y = x\nx[mask] = 0\nreturn y",
    ],
)
def test_what_no_other_name_sees_is_converted(body: str) -> None:
    assert reasons(body) == set()
