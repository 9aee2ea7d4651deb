"""A split that each process draws for itself trains on what is held out: it is said where no seed is set."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

IMPORTS = """
import random
import numpy as np
from torch.utils.data import random_split
from sklearn.model_selection import train_test_split
"""
SPLITS = {
    "of a data set": ("a, b = random_split(full, [12, 4])\n", "torch.manual_seed(0)\n"),
    "of a shuffled list": ("random.shuffle(files)\na = files[:9]\n", "random.seed(0)\n"),
    "of an order": ("order = np.random.permutation(9)\na = order[5:]\n", "np.random.seed(0)\n"),
    "of an order of torch": ("order = torch.randperm(9)\na = order[5:]\n", "torch.manual_seed(0)\n"),
    "of scikit-learn": ("a, b = train_test_split(x)\n", "np.random.seed(0)\n"),
}


def left(lines: str) -> list[str]:
    """What a script with lines before its main function leaves to a person."""
    return converted(script(before=IMPORTS + lines)).left


@pytest.mark.parametrize(("split", "seed"), SPLITS.values(), ids=SPLITS)
def test_a_split_is_said_unless_a_seed_is_set(split: str, seed: str) -> None:
    assert "NPU427.split" in left(split)
    assert "NPU427.split" not in left(seed + split)
    assert "NPU427.split" not in left("set_seed(1)\n" + split)


@pytest.mark.parametrize(
    "lines",
    [
        "a, b = random_split(full, [12, 4], generator=torch.Generator().manual_seed(1))\n",
        "a, b = random_split(full, [12, 4], torch.Generator())\n",
        "a, b = train_test_split(x, random_state=1)\n",
        "a, b = train_test_split(x, shuffle=False)\n",
        "random.shuffle(files)\n",
        "def __getitem__(self, i):\n    random.shuffle(files)\n    return files[:2]\n",
        "for i in range(9):\n    order = torch.randperm(9)\n    a = order[:3]\n",
        "files.sort()\na = files[:9]\n",
    ],
)
def test_what_is_the_same_for_all_or_no_split_is_not_said(lines: str) -> None:
    assert "NPU427.split" not in left(lines)
