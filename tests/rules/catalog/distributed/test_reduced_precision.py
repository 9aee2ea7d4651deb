"""Double precision in what processes reduce: the precision of a tensor, and the devices that lack it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated


def codes(text: str, version: str = "2.8.0", **options: object) -> list[str]:
    return [item.code for item in check(SourceFile(text), options_from({"version": version, **options}))]


def test_a_counter_of_double_precision_that_is_reduced() -> None:
    text = (
        "import torch\nimport torch.distributed as dist\n"
        "t = torch.tensor([self.count, self.total], dtype=torch.float64, device='cuda')\n"
        "dist.barrier()\ndist.all_reduce(t)\n"
    )
    assert migrated(text) == text.replace("import torch\n", "import torch\nimport torch_npu\n", 1).replace(
        "'cuda'", "'npu'"
    )
    assert "dtype=torch.float32, device='npu'" in migrated(text, unsafe=True)
    assert "NPU407" in codes(text)
    assert "NPU806" not in codes(text)


def test_the_newest_devices_reduce_double_precision() -> None:
    text = "import torch\ntorch.distributed.all_reduce(x.double())\n"
    assert codes(text) == ["NPU407"]
    assert codes(text, hardware="950DT") == []


REDUCED = "import torch\nimport torch.distributed as dist\n%s\n"


@pytest.mark.parametrize(
    ("code", "is_reported"),
    [
        ("t = torch.zeros(2, dtype=torch.float64)\ndist.all_reduce(t)", True),
        ("t = y + x.double()\ndist.all_reduce(t)", True),
        ("t = x.double() + y\ndist.all_reduce(t)", True),
        ("t = x.float() + y\ndist.all_reduce(t)", False),
        ("t = y + x\ndist.all_reduce(t)", False),
        ("t = f()\nt = t.double()\ndist.all_reduce(t)", True),
        ("t = a.double() if c else b.double()\ndist.all_reduce(t)", True),
        ("class C:\n    def f(self):\n        self.t = f().double()\n        dist.all_reduce(self.t)", True),
        ("t = torch.zeros(2).double()\nt = t.to(torch.float32)\ndist.all_reduce(t)", False),
        ("t = torch.zeros(2).double()\ndist.all_reduce(t.to(dtype=torch.float16))", False),
        ("t = torch.zeros(2).double()\nt = f(t)\ndist.all_reduce(t)", False),
        ("t = a.double() if c else b\ndist.all_reduce(t)", False),
        ("dist.all_reduce(t)\nt = torch.zeros(2).double()", False),
    ],
)  # fmt: skip
def test_the_precision_that_is_reduced_is_the_one_given_last(code: str, is_reported: bool) -> None:
    assert ("NPU407" in codes(REDUCED % code)) is is_reported


@pytest.mark.parametrize(
    ("tensor", "is_reported"),
    [
        ("x.double().type_as(y)", False),
        ("x.double().type(y.dtype)", False),
        ("x.double().to(y)", False),
        ("x.double().to(y.dtype)", False),
        ("x.double().to(torch.complex64)", False),
        ("x.double().to(device, dtype)", False),
        ("x.double().to(dtype=dtype)", False),
        ("x.double().to(other=y)", False),
        ("x.double().to(*options)", False),
        ("torch.from_numpy(np.zeros(3).astype(kind))", False),
        ("x.to_other(torch.double)", False),
        ("make(3, dtype=torch.double)", False),
        ("x.double().to(device)", True),
        ("x.double().to(self.device, non_blocking=True)", True),
        ("x.double().to('npu')", True),
        ("x.double().to(local_rank)", True),
        ("x.double().to(device=y)", True),
        ("x.to(device, torch.double)", True),
        ("x.type(torch.double)", True),
        ("x.sum(dtype=torch.double)", True),
        ("x.new_zeros(3, dtype=torch.double)", True),
        ("torch.zeros(3, dtype=torch.double)", True),
        ("torch.from_numpy(np.zeros(3).astype(np.float64))", True),
    ],
)
def test_a_conversion_to_an_unknown_type_makes_the_precision_unknown(tensor: str, is_reported: bool) -> None:
    """A method that may convert, or one that is not known, is no proof that the reduction raises."""
    text = "import numpy as np\n" + REDUCED % f"dist.all_reduce({tensor})"
    assert ("NPU407" in codes(text)) is is_reported
