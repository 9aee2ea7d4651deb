"""Double precision on a device: where it is found, and where another rule has the say."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import said

MADE = "made unsafe information: "


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = torch.zeros(2, dtype=torch.float64, device='npu')", [MADE + "torch.float64"]),
        ("x = torch.zeros(2, dtype=torch.float64, device=None)", []),
        ("x = torch.zeros(2, dtype=torch.float64)", []),
        ("x = t.cuda().double()", [MADE + "double"]),
        ("x = (t.double()).cuda()", [MADE + "double"]),
        ("x = t.cuda().double(a)", []),
        ("x = t.cuda().double", []),
        ("x = torch.cuda.DoubleTensor(2)", [MADE + "torch.cuda.DoubleTensor"]),
        ("x = torch.cuda.DoubleTensor", []),
    ],
)
def test_what_is_made_on_a_device_in_double_precision_is_found(code: str, expected: list[str]) -> None:
    assert said("NPU806", f"import torch\n{code}\n") == expected


@pytest.mark.parametrize(
    "made",
    ["torch.zeros(2, dtype=torch.float64, device='npu')", "torch.cuda.DoubleTensor(2)", "t.cuda().double()"],
)
def test_what_is_reduced_across_processes_is_left_to_the_rule_for_that(made: str) -> None:
    text = f"import torch\nx = {made}\n"
    assert said("NPU806", text) != []
    assert said("NPU806", f"{text}torch.distributed.all_reduce(x)\n") == []
    assert said("NPU806", f"import torch\ntorch.distributed.all_reduce({made})\n") == []
    assert said("NPU806", f"{text}torch.distributed.all_reduce(y)\n") != []
    assert said("NPU806", f"import torch\nprint({made})\n") != []
