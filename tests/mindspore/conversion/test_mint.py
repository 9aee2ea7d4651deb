"""``--api mint``: functions and layers with torch's names and arguments."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.correspondences.table import entries

from .converting import Converted, converted

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"


def mint(text: str) -> Converted:
    return converted(f"{HEAD}{text}", target="mindspore", mindspore_api="mint")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("layer = nn.Conv2d(3, 8, 3, padding=1)\n", "mint.nn.Conv2d(3, 8, 3, padding=1)"),
        ("layer = nn.BatchNorm2d(8, momentum=0.01)\n", "mint.nn.BatchNorm2d(8, momentum=0.01)"),
        ("layer = nn.Linear(3, 8)\n", "mint.nn.Linear(3, 8)"),
        ("y = torch.cat([a, b], dim=1)\n", "mint.cat([a, b], dim=1)"),
        ("y = F.layer_norm(x, (3,))\n", "mint.nn.functional.layer_norm(x, (3,))"),
    ],
)
def test_arguments_stay_as_they_are(text: str, written: str) -> None:
    answer = mint(text)
    assert answer.blockers == {} and written in answer.text
    assert "from mindspore import mint\n" in answer.text
    assert written not in converted(f"{HEAD}{text}").text


def test_what_it_lacks_is_taken_from_the_others() -> None:
    answer = mint("layer = nn.LSTM(3, 4)\ny = torch.diagonal(torch.zeros(3, 3))\n")
    assert answer.blockers == {} and "nn.LSTM(3, 4)" in answer.text and "mint.nn.LSTM" not in answer.text


def test_weights_of_layers_keep_their_names() -> None:
    text = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    text += "        self.norm = nn.BatchNorm2d(3)\n\n    def forward(self, x):\n"
    text += "        return self.norm(x) * self.norm.weight\n"
    assert "self.norm.weight" in mint(text).text
    assert "self.norm.gamma" in converted(f"{HEAD}{text}").text


def test_classes_that_are_asked_for_are_those_of_mint() -> None:
    assert "isinstance(m, mint.nn.Conv2d)" in mint("print(isinstance(m, nn.Conv2d))\n").text


def test_layers_whose_weights_have_other_names_are_all_there() -> None:
    names = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm", "Embedding", "Linear")
    table = entries(mint=True)
    assert all(one.is_of_mint for name in names for one in table[f"torch.nn.{name}"])
    assert not any(
        one.is_of_mint
        for forms in entries().values()
        for one in forms
        if one.called and "mint.nn" in one.target_text
    )


def test_a_name_that_the_release_lacks_is_not_written() -> None:
    text = "import torch\n\nx = torch.zeros(3)\ny = torch.vdot(x, x)\n"
    new = converted(text, target="mindspore", mindspore_api="mint", mindspore_version="2.10.0")
    old = converted(text, target="mindspore", mindspore_api="mint", mindspore_version="2.9.0")
    assert "mint.vdot(x, x)" in new.text and old.blockers == {"torch.vdot(x, x)": "release"}


def test_optimizers_are_those_that_train_everywhere() -> None:
    """Those of mint change no weights on a CPU, without an error."""
    answer = mint("net = nn.Linear(3, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n")
    assert "optim.SGD(net.trainable_params(), lr=0.1)" in answer.text and "mint.optim" not in answer.text
    assert "from mindspore.experimental import optim" in answer.text
