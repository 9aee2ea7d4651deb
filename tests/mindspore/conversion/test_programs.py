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
        "pictures",
    ],
)
def test_a_program_is_converted_as_a_whole(name: str) -> None:
    answer = converted((PROGRAMS / f"{name}.txt").read_text(encoding="utf-8"))
    assert answer.blockers == {}
    assert "nn.Cell" in answer.text or "nn.SequentialCell" in answer.text
    assert ".value_and_grad(" in answer.text
    assert "torch" not in answer.text.replace("like_torch", "")


@pytest.mark.parametrize(("name", "reason"), [("dcgan", "graph-step")])
def test_what_a_graph_cannot_hold_is_left_with_the_reason(name: str, reason: str) -> None:
    text = (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")
    answer = converted(text, target="mindspore", graph=True)
    assert answer.text == text and reason in answer.blockers.values()


@pytest.mark.parametrize("name", ["mnist", "trainer", "scaled", "resnet", "gpt"])
def test_steps_are_compiled(name: str) -> None:
    text = (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")
    assert "take_gradients = ms.jit(" in converted(text, target="mindspore", graph=True).text


@pytest.mark.parametrize("path", sorted((PROGRAMS / "scripts").glob("*.txt")), ids=lambda path: path.stem)
def test_a_script_is_converted_as_a_whole(path: Path) -> None:
    answer = converted(path.read_text(encoding="utf-8"))
    assert answer.blockers == {}
    assert "torch" not in answer.text.replace("like_torch", "").replace("# ", "")
