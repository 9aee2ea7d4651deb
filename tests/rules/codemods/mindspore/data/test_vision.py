"""Datasets and transforms of torchvision are left, and the place says what to write."""

from __future__ import annotations

from gpu2ascend_rules.check import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

from ..converting import converted

TEXT = (
    "import torch\nfrom torchvision import datasets, transforms\n\n"
    "change = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1,), (0.3,))])\n"
    "data = datasets.MNIST('data', train=True, transform=change)\n"
)


def test_each_place_has_its_reason() -> None:
    blockers = converted(TEXT).blockers
    assert blockers["transforms.Normalize((0.1,), (0.3,))"] == "vision"
    assert blockers["datasets.MNIST('data', train=True, transform=change)"] == "vision"
    assert "library" in blockers.values()


def test_what_to_write_is_said() -> None:
    found = check(SourceFile(TEXT), options_from({"target": "mindspore"}))
    said = [render(one.message, "en") for one in found]
    assert any("is_hwc=False" in one for one in said) and any("ds.MnistDataset(" in one for one in said)


def test_the_table_has_each_name_once() -> None:
    names = [row["api"] for row in load_tsv("mindspore_vision")]
    assert len(names) == len(set(names)) >= 15
