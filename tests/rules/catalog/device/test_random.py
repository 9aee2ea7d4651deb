"""NPU208: whose random state ``fork_rng`` keeps."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU208"]})


def call(arguments: str) -> SourceFile:
    """A region that keeps the random state."""
    return SourceFile(f"import torch\nwith torch.random.fork_rng({arguments}):\n    pass\n")


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        ("", "device_type='npu'"),
        ("[0]", "[0], device_type='npu'"),
        ("devices=[0]", "devices=[0], device_type='npu'"),
        ("[0], True", "[0], True, device_type='npu'"),
        ("enabled=flag", "enabled=flag, device_type='npu'"),
        ("[0], True, 'f', 'd'", "[0], True, 'f', 'd', device_type='npu'"),
    ],
)
def test_a_call_that_names_no_type_gets_that_of_the_npu(arguments: str, after: str) -> None:
    assert f"fork_rng({after}):" in apply_fixes(call(arguments), OPTIONS).text


@pytest.mark.parametrize(
    "arguments",
    [
        "device_type='cuda'",
        "[0], True, 'f', 'd', 'cuda'",
        "devices=[]",
        "()",
        "enabled=False",
        "[0], False",
        "*given",
        "**given",
    ],
)
def test_a_call_that_names_a_type_or_keeps_the_cpus_state_alone_is_left(arguments: str) -> None:
    assert check(call(arguments), OPTIONS) == ()
    assert len(check(call(""), OPTIONS)) == 1
