"""Where a tensor was put last: on a device that is not the CPU, or anywhere."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import said


@pytest.mark.parametrize(
    "moves",
    [
        "x = x.cuda()", "x = x.npu()", "x = x.to('cuda:0')", "x = x.to(device)",
        "x = torch.ones(3, device='npu')",
        "x = x.cpu()\nx = x.cuda()", "x = x.cuda().detach()", "x = x.to('cuda').to(torch.float16)",
        "net = net.cuda()\nx = net(y)", "x = x.cuda()[0]", "x = x.cuda()\nx = x.float()",
    ],
)  # fmt: skip
def test_a_double_of_what_is_on_the_device(moves: str) -> None:
    assert said("NPU806", f"import torch\ndevice = torch.device('cuda')\n{moves}\ny = x.double()\n")


@pytest.mark.parametrize(
    "moves",
    [
        "x = torch.ones(3)", "x = x.cuda()\nx = x.cpu()", "x = x.cuda().to('cpu')", "x = x.to(torch.float16)",
        "x = torch.ones(3, device='cpu')", "x = unknown(y)", "x = x.cuda().numpy()", "pass",
        "x = x.cuda()\nx = x.to(place)",
    ],
)  # fmt: skip
def test_a_double_of_what_may_be_on_the_host(moves: str) -> None:
    """The control."""
    assert not said("NPU806", f"import torch\n{moves}\ny = x.double()\n")
