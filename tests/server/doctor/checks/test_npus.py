"""What ``npu-smi`` says, and what it means that it says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.doctor.checks.npus import kernel_folder, read_overview

from ..host import answering, ready, said, sample


def test_in_a_container_without_the_driver_it_fails_and_its_words_are_shown(tmp_path: Path) -> None:
    ask = answering({"npu-smi info": sample("npu_smi_container")}, code=255)
    found = said(ready(tmp_path, ask=ask))["npu-smi.fails"]
    assert "-8005" in str(found.message)


def test_one_that_hangs_is_an_error(tmp_path: Path) -> None:
    assert "npu-smi.hangs" in said(ready(tmp_path, ask=answering({"npu-smi info": ""}, code=None)))


def test_one_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert "npu-smi.missing" in said(ready(tmp_path, ask=answering({})))


def test_a_chip_that_is_not_healthy_is_named(tmp_path: Path) -> None:
    text = sample("npu_smi_910b2").replace("| OK            | 86.6", "| Alarm         | 86.6")
    found = said(ready(tmp_path, ask=answering({"npu-smi info": text})))["health.ill"]
    assert found.commands == ("npu-smi info -t health -i 1",)


def test_memory_that_others_use_is_reported(tmp_path: Path) -> None:
    text = sample("npu_smi_910b2").replace(" 3382 / 65536", "33820 / 65536")
    assert "health.full" in said(ready(tmp_path, ask=answering({"npu-smi info": text})))


@pytest.mark.parametrize(
    ("name", "folder"),
    [("npu_smi_910b2", "ascend910b"), ("npu_smi_910b4", "ascend910b"), ("npu_smi_a3", "ascend910_93")],
)
def test_the_chip_decides_which_operators_are_needed(name: str, folder: str) -> None:
    assert {kernel_folder(chip) for chip in read_overview(sample(name)).chips} == {folder}
