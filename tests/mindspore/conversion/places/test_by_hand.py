"""A place that is not converted says what to write by hand, where that is known."""

from __future__ import annotations

import ast

import pytest

from gpu2ascend_mindspore.correspondences.table import by_hand, explained, shown
from gpu2ascend_mindspore.data import load_tsv
from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.similar.assemble import stand_ins
from gpu2ascend_rules.text.source_file import SourceFile
from tests.execution.mindspore.both import texts
from tests.execution.mindspore.by_hand import SAMPLES, halves

_LOOKED_UP = ("torchvision.transforms.", "torchvision.datasets.", "torchvision.ops.")
"""Names whose counterparts have another form; their texts say which that is, without a program."""


def told(text: str) -> list[str]:
    found = check(SourceFile(text), options_from({"target": "mindspore"}))
    return [render(one.message, "en") for one in found if one.code == "MS002"]


@pytest.mark.parametrize("name", texts(SAMPLES))
def test_the_place_says_the_text_that_was_run(name: str) -> None:
    text = shown(by_hand()[name])
    assert any(one.endswith(f": `{text}`") for one in told(halves(name)[0]))


@pytest.mark.parametrize("name", texts(SAMPLES))
def test_the_text_is_python(name: str) -> None:
    assert ast.parse(by_hand()[name]).body


def test_every_text_was_run() -> None:
    assert {name for name in by_hand() if not name.startswith(_LOOKED_UP)} == set(texts(SAMPLES))


def test_the_table_has_each_name_once_and_none_that_something_stands_for() -> None:
    names = [row["api"] for row in load_tsv("mindspore_by_hand")]
    assert len(names) == len(set(names)) >= 90
    assert stand_ins(MINDSPORE).keys() & set(names) == {"torch.nn.Module.parameters"}, "a loop that freezes"


def test_a_step_without_a_closure_has_the_general_text() -> None:
    head = "import torch\n\nm = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(m.parameters(), lr=0.1)\n"
    assert any("closure computes" in one for one in told(f"{head}opt.step(c)\n"))
    assert not any("closure computes" in one for one in told(f"{head}opt.step()\n"))


def test_a_name_without_a_text_says_that_it_has_no_counterpart() -> None:
    assert told("import torch\n\nx = torch.zeros(3)\ny = torch.kthvalue_of_nothing(x)\n") == [
        "`torch.kthvalue_of_nothing` has no counterpart in MindSpore that is known to give the same results"
    ]


def test_explaining_says_it_too() -> None:
    assert [one.id for one in explained("torch.svd")][-1] == "MS002.by_hand"
