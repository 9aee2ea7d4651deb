"""``explain --target`` speaks of the target that is asked for, whatever way a name is written."""

from __future__ import annotations

import pytest

from gpu2ascend.lsp.documentation.explanation import explanation
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.targets.registry import target_named

from ..conftest import Run


@pytest.mark.parametrize("written", ["torch.nn.Conv2d", "nn.Conv2d", "Conv2d", "nn.Conv2d(3, 8, 3)"])
def test_an_api_by_any_of_its_spellings(run: Run, written: str) -> None:
    ran = run("explain", written, "--target", "mindspore", "--json")
    assert ran.code == 0 and ran.json["name"] == "torch.nn.Conv2d"
    assert "pad_mode='pad'" in ran.json["lines"][0]


def test_an_api_that_a_target_leaves_alone(run: Run) -> None:
    ran = run("explain", "torch.std", "--target", "accelerator")
    assert (ran.code, ran.out) == (
        0, "`torch.std` is left unchanged: the target accelerator does not affect it\n",
    )  # fmt: skip


def test_a_name_that_may_be_misspelt_gets_those_that_are_close(run: Run) -> None:
    ran = run("explain", "torch.stdd", "--target", "mindspore")
    assert ran.code == 0 and "no counterpart" in ran.out and "torch.std," in ran.out


@pytest.mark.parametrize("target", ["mindspore", "accelerator"])
@pytest.mark.parametrize("word", ["xyz", "torch"])
def test_a_word_that_nothing_is_known_of(run: Run, word: str, target: str) -> None:
    ran = run("explain", word, "--target", target)
    assert (ran.code, ran.out) == (2, "") and f"'{word}'" in ran.err


@pytest.mark.parametrize("library", ["timm", "transformers"])
def test_a_library_that_a_target_has_no_counterpart_of(run: Run, library: str) -> None:
    assert "use the target torch_npu" in run("explain", library, "--target", "mindspore").out
    assert "use the target torch_npu" not in run("explain", library).out


@pytest.mark.parametrize("name", ["nn.Conv2d", "timm", "torch.stdd", "torch.cuda.synchronize"])
def test_an_editor_is_told_the_same(run: Run, name: str) -> None:
    route = target_named("mindspore")
    assert route is not None
    told = explanation(name, NEWEST, Hardware.A2, "en", route)
    printed = run("explain", name, "--target", "mindspore").out.splitlines()
    assert told.markdown.splitlines()[2:] == [f"- {line}" for line in printed]
