"""NPU1201 and NPU1202 with what the project reads."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.project.decisions import Outcome
from gpu2ascend_rules.model.project.inputs import Input
from gpu2ascend_rules.model.project.project_view import NoProgram, Standalone
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU12xx"]})


class Reading(Standalone):
    """A project whose code reads some keys."""

    def __init__(self, *settings: str) -> None:
        self.read_settings = frozenset(settings)


def after(text: str, path: str, *settings: str) -> str:
    return apply_fixes(text_file(text, path), OPTIONS, Reading(*settings)).text


@pytest.mark.parametrize(
    ("path", "before", "expected"),
    [
        ("c.yaml", 'run:\n    device: "cuda"  # card\n', 'run:\n    device: "npu"  # card\n'),
        ("c.yml", "run: {device: cuda:1}\r\n", "run: {device: npu:1}\r\n"),
        ("c.json", '{\n\t"device" : "cuda:0"\n}', '{\n\t"device" : "npu:0"\n}'),
        ("c.toml", "device = 'cuda' # card\n", "device = 'npu' # card\n"),
        ("c.ini", "[run]\ndevice: cuda ; card\n", "[run]\ndevice: npu ; card\n"),
        ("c.yaml", "a: &a\n  device: &d cuda\nb: *d\n", "a: &a\n  device: &d npu\nb: *d\n"),
    ],
)
def test_a_value_that_code_reads_into_a_device_changes_and_nothing_else(
    path: str, before: str, expected: str
) -> None:
    assert after(before, path, "device:device") == expected


def test_a_key_stays_and_so_does_what_no_code_reads() -> None:
    text = "cuda: cuda\ndevice: cuda\nmodel_device: cuda\n"
    assert after(text, "c.yaml", "device:model_device") == "cuda: cuda\ndevice: cuda\nmodel_device: npu\n"


def test_a_back_end_is_no_device() -> None:
    assert (
        after("backend: nccl\ndevice: cuda\n", "c.yaml", "backend:backend") == "backend: hccl\ndevice: cuda\n"
    )


class _Moves(NoProgram):
    """A program that makes devices of what configurations hold."""

    def outcome_of_input(self, given: Input, value: str, options: object) -> Outcome:
        return Outcome.MOVES


def test_what_the_program_moves_is_no_accelerator_of_lightning() -> None:
    project = Reading("accelerator:ACCELERATOR")
    project.program = _Moves()
    file = text_file("device: cuda\nACCELERATOR: gpu\n", "c.yaml")
    assert apply_fixes(file, OPTIONS, project).text == "device: npu\nACCELERATOR: gpu\n"
    assert [item.code for item in check(file, OPTIONS, project)] == ["NPU1201", "NPU1203"]


def test_a_device_of_another_library_is_left_to_a_person() -> None:
    text = "xgb_params:\n  device: cuda\n"
    assert after(text, "c.yaml", "device:device") == text
    (finding,) = check(text_file(text, "c.yaml"), OPTIONS, Reading("device:device"))
    assert finding.fix is None


def test_a_broken_file_stays() -> None:
    text = "device: cuda\n  x: [\n"
    assert after(text, "c.yaml", "device:device") == text


def test_an_ignore_comment_holds() -> None:
    text = "device: cuda  # gpu2ascend: ignore[NPU1201]\n"
    assert after(text, "c.yaml", "device:device") == text


def test_a_file_for_another_library_is_left_to_a_person() -> None:
    text = "config:\n  device: cuda\n"
    assert after(text, "conf/trainer/xgbtrainer.yaml", "device:device") == text


@pytest.mark.parametrize(
    ("read", "text", "changes"),
    [
        ("run.device", "run:\n  device: cuda\n", True),
        ("run.device", "all:\n  run:\n    device: cuda\n", True),
        ("run.device", "device: cuda\n", True),
        ("device", "run:\n  device: cuda\n", True),
        ("run.device", "report:\n  device: cuda\n", False),
        ("model.run.device", "run:\n  device: cuda\n", True),
        ("model.device", "run:\n  model:\n  - device: cuda\n", True),
    ],
)
def test_the_ways_of_code_and_file_agree_as_far_as_both_are_known(
    read: str, text: str, changes: bool
) -> None:
    assert (after(text, "c.yaml", f"device:{read}") != text) is changes
