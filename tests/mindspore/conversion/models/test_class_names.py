"""Questions for the names of classes."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
import torch.nn as nn


def init(m):
    name = m.__class__.__name__
    if QUESTION:
        print(m)
"""


def blockers(question: str) -> dict[str, str]:
    return converted(TEXT.replace("QUESTION", question)).blockers


@pytest.mark.parametrize("question", ["name.find('Linear') != -1", "'Linear' in name", "name == 'Linear'"])
def test_who_asks_for_linear_layers_asks_for_dense_ones(question: str) -> None:
    text = converted(TEXT.replace("QUESTION", question)).text
    assert question.replace("Linear", "Dense") in text


def test_not_where_a_class_of_the_file_is_called_so() -> None:
    text = TEXT.replace("QUESTION", "'Linear' in name") + "\n\nclass MyLinear(nn.Module):\n    pass\n"
    assert converted(text).blockers == {"'Linear'": "class"}


@pytest.mark.parametrize("word", ["Conv", "BatchNorm", "LayerNorm", "Embedding"])
def test_names_that_are_the_same_there_stay(word: str) -> None:
    assert blockers(f"name.find('{word}') != -1") == {}


@pytest.mark.parametrize("word", ["ConvTranspose", "Sequential", "ConvTranspose2d"])
def test_other_names_are_left(word: str) -> None:
    assert blockers(f"name == '{word}'") == {f"'{word}'": "class"}
