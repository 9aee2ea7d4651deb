"""A module of torch.cuda under another name moves where all that it is used for moves."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said


@pytest.mark.parametrize(
    ("use", "after"),
    [
        ("tc.synchronize()", "import torch_npu.npu as tc"),
        ("tc.synchronize()\nhand_on(tc)", "import torch_npu.npu as tc"),
        ("tc.synchronize()\ntc.cudart()", "import torch.cuda as tc"),
        ("tc.cudart()", "import torch.cuda as tc"),
    ],
)
def test_a_module_moves_with_all_its_uses_or_stays(use: str, after: str) -> None:
    before = f"import torch.cuda as tc\n{use}\n"
    assert fixed("NPU102", before) == f"{after}\n{use}\n"
    key = "moves safe warning" if "npu" in after else "stays_for_uses manual information"
    assert said("NPU102", before) == [f"{key}: torch.cuda as tc"]


@pytest.mark.parametrize(
    ("use", "after"),
    [
        ("amp.GradScaler()", "from torch_npu.npu import amp"),
        ("amp.GradScaler.step.__doc__", "from torch_npu.npu import amp"),
        ("amp.GradScaler()\namp.no_such()", "from torch.cuda import amp"),
        ("amp.grad_scaler.OptState.READY", "from torch_npu.npu import amp"),
        ("amp.grad_scaler.no_such()", "from torch.cuda import amp"),
    ],
)
def test_a_module_stays_for_a_name_below_it_that_no_table_knows(use: str, after: str) -> None:
    assert fixed("NPU102", f"from torch.cuda import amp\n{use}\n") == f"{after}\n{use}\n"
