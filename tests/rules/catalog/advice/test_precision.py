"""Advice on precision: calls that are exact by default, and those for which the code has decided."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import said

TRAINS = "import torch\nloss.backward()\n"
EXACT = "exact manual hint: "


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("l = torch.nn.GELU()", [EXACT + "torch.nn.GELU()"]),
        ("l = torch.nn.GELU()\nm = torch.nn.GELU()", [EXACT + "torch.nn.GELU()"]),
        ("l = torch.nn.GELU('tanh')", []),
        ("l = torch.nn.GELU(*a)", []),
        ("l = Block(act=torch.nn.GELU)", []),
        ("y = torch.nn.functional.gelu(x)", ["exact unsafe hint: torch.nn.functional.gelu(x)"]),
        ("y = torch.nn.functional.gelu(x, 'tanh')", []),
        ("y = torch.nn.functional.gelu(*x)", []),
        ("y = act(torch.nn.functional.gelu)", []),
    ],
)
def test_gelu_is_exact_unless_it_is_given_an_approximation(code: str, expected: list[str]) -> None:
    assert said("ADV124", f"{TRAINS}{code}\n") == expected


def test_a_layer_that_is_never_trained_is_left_alone() -> None:
    assert said("ADV124", f"{TRAINS}l = torch.nn.GELU()\n") != []
    assert said("ADV124", "import torch\nl = torch.nn.GELU()\n") == []
