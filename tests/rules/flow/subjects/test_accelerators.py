"""What Lightning calls a GPU reaches a trainer by its parameter, or as the first of what takes it first."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.flow.subjects.accelerators import is_accelerator
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU704"]})
HEAD = "import lightning as L\nimport pytorch_lightning as pl\nfrom lightning.fabric import Fabric\n"


def found(text: str) -> list[str]:
    source = SourceFile(HEAD + text)
    return [source.slice(item.start, item.end) for item in check(source, OPTIONS)]


@pytest.mark.parametrize(
    "call",
    [
        "L.Fabric('gpu')",
        "Fabric('gpu', devices=2)",
        "L.pytorch.Trainer(accelerator='gpu')",
        "pl.lite.LightningLite('gpu')",
        "L.Trainer(max_epochs=1, accelerator='gpu')",
    ],
)
def test_an_accelerator_reaches_what_trains(call: str) -> None:
    assert [text for text in found(f"{call}\n") if "gpu" in text] != []


@pytest.mark.parametrize(
    "call",
    [
        "L.Trainer('gpu', accelerator='cpu')",
        "Fabric('cpu', 'gpu')",
        "pl.lite.LightningLite('cpu')",
        "L.Other('gpu')",
    ],
)
def test_another_argument_is_none(call: str) -> None:
    assert found_before("L.Trainer(accelerator='cuda')\n", f"{call}\n", found) == []


@pytest.mark.parametrize(
    ("text", "expected"), [("gpu", True), ("cuda", True), ("cpu", False), ("cuda:0", False), ("GPU", False)]
)
def test_the_words_of_lightning(text: str, expected: bool) -> None:
    assert is_accelerator(text) is expected
