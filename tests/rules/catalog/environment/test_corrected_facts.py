"""Facts that newer sources corrected: allocator settings, the switch of run time patching, autoloading."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

ALLOCATOR = "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = '{}'\n"
SWITCH = "import os, torch\nos.environ['TORCH_TRANSFER_TO_NPU'] = '{}'\n"


def changes(text: str, version: str, hardware: str = "A2") -> bool:
    options = options_from({"version": version, "hardware": hardware})
    return apply_fixes(SourceFile(text), options).text != text


@pytest.mark.parametrize(
    ("setting", "version", "hardware", "is_known"),
    [
        ("max_split_size_mb:64", "1.11.0", "A2", True),
        ("expandable_segments:True", "2.1.0", "A3", True),
        ("roundup_power2_divisions:4", "2.6.0", "A2", False),
        ("roundup_power2_divisions:4", "2.7.1", "A2", True),
        ("roundup_power2_divisions:[256:1,512:2]", "2.13.0", "950DT", False),
        ("pinned_use_background_threads:True", "2.8.0", "A3", True),
        ("pinned_use_background_threads:True", "2.5.1", "A3", False),
        ("expandable_segments:True,pinned_use_background_threads:True", "2.8.0", "950DT", True),
        ("max_split_size_mb:64", "2.8.0", "950DT", False),
        ("backend:cudaMallocAsync", "2.13.0", "A2", False),
    ],
)
def test_settings_of_the_allocator(setting: str, version: str, hardware: str, is_known: bool) -> None:
    assert changes(ALLOCATOR.format(setting), version, hardware) is is_known


def test_the_finding_names_the_settings_of_the_version() -> None:
    for version, is_named in (("2.6.0", False), ("2.8.0", True)):
        found = check(SourceFile(ALLOCATOR.format("x:1")), options_from({"version": version}))
        assert ("roundup_power2_divisions" in render(found[0].message)) is is_named


@pytest.mark.parametrize(
    ("value", "version", "expected"),
    [
        ("1", "2.1.0", "NPU705.unread"),
        ("1", "2.6.0", "NPU705.unread"),
        ("1", "2.7.1", "NPU705.switch"),
        ("1", "2.8.0", "NPU705.switch"),
        ("1", "2.10.0", "NPU705.switch"),
        ("true", "2.13.0", "NPU705.refused"),
        ("0", "2.13.0", None),
    ],
)
def test_the_switch_of_run_time_patching(value: str, version: str, expected: str | None) -> None:
    options = options_from({"version": version, "select": ["NPU705"]})
    found = [item.message.id for item in check(SourceFile(SWITCH.format(value)), options)]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(("version", "loads"), [("2.4.0", False), ("2.5.1", True), ("2.6.0", True)])
def test_torch_loads_torch_npu_by_itself_from_2_5_1_on(version: str, loads: bool) -> None:
    assert changes("import os\nos.system('torchrun --nproc_per_node=gpu train.py')\n", version) is loads
