"""Whole programs: each is converted, with nothing left; ``make test-mindspore`` runs and compares both."""

from __future__ import annotations

from pathlib import Path

import pytest

from .converting import converted

PROGRAMS = Path(__file__).parent / "samples"


@pytest.mark.parametrize(
    "name",
    [
        "cnn",
        "resnet",
        "mnist",
        "gpt",
        "tagger",
        "trainer",
        "accumulation",
        "scaled",
        "losses",
        "mixed",
        "dcgan",
        "loading",
        "penalty",
        "wgan",
    ],
)
def test_a_program_is_converted_as_a_whole(name: str) -> None:
    answer = converted((PROGRAMS / f"{name}.txt").read_text(encoding="utf-8"))
    assert answer.blockers == {}
    assert "nn.Cell" in answer.text or "nn.SequentialCell" in answer.text
    assert "ms.value_and_grad(" in answer.text
    assert "torch" not in answer.text.replace("like_torch", "")
