"""What is said of an API for MindSpore is what the conversion does."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.conversion.models.initialisation import _SIGNATURES, INIT
from gpu2ascend_mindspore.correspondences.table import explained
from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_rules.similar.assemble import stand_ins
from tests.mindspore.conversion.converting import converted

NONE = "mindspore.none"


def ids(name: str) -> set[str]:
    return {message.id for message in explained(name)}


@pytest.mark.parametrize("name", sorted(stand_ins(MINDSPORE)))
def test_what_the_helper_file_has_is_not_said_to_be_missing(name: str) -> None:
    assert ids(name) and NONE not in ids(name)
    assert "none" not in {dict(message.arguments).get("target") for message in explained(name)}


@pytest.mark.parametrize("name", sorted(_SIGNATURES))
def test_initial_values_are_not_said_to_be_missing(name: str) -> None:
    assert NONE not in ids(f"{INIT}{name}")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("torch.no_grad", "with torch.no_grad():\n    x = torch.ones(1)\n"),
        ("torch.save", "torch.save({'epoch': 1}, 'a.pt')\n"),
        ("torch.Tensor.masked_fill_", "x = torch.ones(1)\nx.masked_fill_(x > 0, 2)\n"),
        ("torch.utils.data.DataLoader", "loader = torch.utils.data.DataLoader([1, 2])\n"),
        ("torch.einsum", "y = torch.einsum('i->', torch.ones(1))\n"),
    ],
)
def test_what_is_converted_is_not_said_to_be_missing(name: str, text: str) -> None:
    assert converted(f"import torch\n\n{text}").blockers == {}
    assert NONE not in ids(name)


def test_what_has_no_counterpart_is_said_to_have_none() -> None:
    assert ids("torch.lobpcg") == {NONE} and converted("import torch\ntorch.lobpcg(x)\n").blockers


def test_what_is_to_be_written_by_hand_is_told() -> None:
    assert ids("torchvision.datasets.CelebA") == ids("torch.svd") == {"MS002.by_hand"}
    assert ids("torchvision.datasets.MNIST") == {"mindspore.helper"}


def test_other_names_are_not_this_tables() -> None:
    assert explained("numpy.std") == () and explained("torch.std") != ()
