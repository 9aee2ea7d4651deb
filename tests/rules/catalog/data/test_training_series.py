"""Hardware 910A: what it lacks beside A2, and what the lists say of it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import OptionError, options_from, refuse_contradictions
from gpu2ascend_rules.text.source_file import SourceFile

VERSIONS = ("1.5.0", "1.8.1", "1.11.0", "2.0.1", "2.1.0")


def found(text: str, version: str, hardware: str = "910A") -> list[str]:
    options = options_from({"version": version, "hardware": hardware, "select": ["NPU809"]})
    return [item.message.id for item in check(SourceFile(f"import torch\n{text}\n"), options)]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "text",
    [
        "x = x.to(torch.bfloat16)",
        "x = x.bfloat16()",
        "run(bf16=True)",
        "make(torch_dtype='bfloat16')",
        "Trainer(precision='bf16-mixed')",
        "Accelerator(mixed_precision='bf16')",
    ],
)
def test_there_is_no_bfloat16(text: str, version: str) -> None:
    assert found(text, version) == ["NPU809.bfloat16"]
    assert found(text, version, "A2") == []


@pytest.mark.parametrize("text", ["run(bf16=False)", "make(torch_dtype='float16')", "torch.float16"])
def test_other_types_are_there(text: str) -> None:
    assert found(text, "2.1.0") == []


def test_training_needs_mixed_precision_for_speed() -> None:
    step = "loss.backward()\noptimizer.step()"
    assert found(step, "2.1.0") == ["NPU809.precision"]
    assert found(f"with torch.cuda.amp.autocast():\n    pass\n{step}", "2.1.0") == []
    assert found(step, "2.1.0", "A2") == []


def test_releases_end_with_2_1() -> None:
    refuse_contradictions(options_from({"version": "2.1.0", "hardware": "910A"}))
    for version in ("2.2.0", "2.8.0"):
        with pytest.raises(OptionError):
            refuse_contradictions(options_from({"version": version, "hardware": "910A"}))


def test_findings_on_support_say_that_no_list_covers_it() -> None:
    text = "import torch\ntorch.set_default_device('cpu')\n"
    by_hardware = {}
    for hardware in ("A2", "910A"):
        options = options_from({"version": "2.0.1", "hardware": hardware, "select": ["NPU001"]})
        (by_hardware[hardware],) = [render(item.message) for item in check(SourceFile(text), options)]
    assert "no list covers it" in by_hardware["910A"]
    assert "no list" not in by_hardware["A2"]
