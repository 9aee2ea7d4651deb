"""The original on the CPU and the migrated project have equal losses, unless the migration changed them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.texts.catalogue import Texts
from gpu2ascend.verify.comparing import alike
from gpu2ascend.verify.showing.document import verify_data
from gpu2ascend.verify.showing.lines import verify_lines
from tests.sampling import BEYOND_SAMPLE
from tests.server.verify.conftest import Verified

pytestmark = pytest.mark.execution

ORIGINAL = """\
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(64, 3, 8, 8), torch.randint(0, 4, (64,)))
loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=1, pin_memory=True)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Dropout(0.5), nn.Flatten(), nn.Linear(288, 4))
model.cuda()
noise = torch.randn(1, 3, 8, 8, device=device)
optimizer = torch.optim.Adam(model.parameters())
scaler = torch.cuda.amp.GradScaler()
for x, y in loader:
    x, y = x.cuda(non_blocking=True) + noise, y.to(device)
    with torch.cuda.amp.autocast():
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""

MIGRATED = (
    ORIGINAL.replace("import torch\n", "import torch\nimport torch_npu\n", 1)
    .replace('"cuda" if torch.cuda.is_available() else "cpu"', '"npu"')
    .replace(".cuda(", ".npu(")
    .replace("torch.cuda.amp", "torch_npu.npu.amp")
)


def test_a_migration_that_keeps_the_numbers(verified: Verified, tmp_path: Path) -> None:
    """Also those that are drawn on the device, and the losses as they are before they are scaled."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(ORIGINAL)
    result = verified({"train.py": MIGRATED}, source=source)
    assert result.comparison is not None and result.comparison.failure is None
    assert len(result.comparison.original) == len(result.comparison.migrated) == 3
    assert (result.comparison.is_same, result.exit_code) == (True, 0)


CHOSEN = """\
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--device", choices=["cpu", "cuda"], required=True)
device = torch.device(parser.parse_args().device)
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(torch.ones(8, 4, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_an_original_is_given_its_own_word_for_the_device(verified: Verified, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(CHOSEN)
    migrated = CHOSEN.replace("import torch\n", "import torch\nimport torch_npu\n").replace('"cuda"', '"npu"')
    result = verified({"train.py": migrated}, "train.py", "--device", "npu", source=source)
    assert result.comparison is not None and result.comparison.failure is None
    assert (result.comparison.is_same, len(result.comparison.original)) == (True, 3)


NUMBERED = """\
import torch
import torch.nn as nn

model = nn.DataParallel(nn.Linear(4, 2)).to(0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
device = torch.device(0)
print(torch.cuda.get_device_properties(0).total_memory, torch.cuda.get_arch_list())
for step in range(3):
    torch.cuda.nvtx.range_push("step")
    x = torch.ones(8, 4).to(0) + torch.zeros(8, 4, device=0)
    assert x.device == device
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    torch.cuda.nvtx.range_pop()
"""
WITHOUT_MARKS = "".join(
    line for line in NUMBERED.splitlines(keepends=True) if "nvtx" not in line and "properties" not in line
)


def test_an_original_with_numbers_for_devices_on_several_gpus(verified: Verified, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(NUMBERED)
    result = verified({"train.py": f"import torch_npu\n{WITHOUT_MARKS}"}, source=source)
    assert result.comparison is not None and result.comparison.failure is None
    assert (len(result.comparison.original), result.comparison.is_same, result.exit_code) == (3, True, 0)


def test_a_migration_that_changes_them(verified: Verified, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(ORIGINAL)
    result = verified({"train.py": MIGRATED.replace("Dropout(0.5)", "Dropout(0.4)")}, source=source)
    assert result.comparison is not None
    assert (result.comparison.first_difference, result.exit_code) == (0, 1)


NORMED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = nn.LayerNorm(8, eps=1e-5)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        hidden = self.norm(self.first(x))
        kept = hidden.clone()
        hidden.mul_(0.5)
        return self.last(kept + hidden)


torch.manual_seed(3)
model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    x = torch.randn(8, 4).cuda()
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
"""
ON_NPU = NORMED.replace("import torch\n", "import torch\nimport torch_npu\n", 1).replace(".cuda(", ".npu(")


def line_of(text: str, part: str) -> str:
    (number,) = (number for number, line in enumerate(text.splitlines(), 1) if part in line)
    return f"train.py:{number}"


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "name"),
    [
        ("eps=1e-5", "eps=0.5", "output", "Net.norm"),
        ("self.first(x)", "self.first(x) * x[:, :1]", "output", "Net.norm"),
        ("hidden.clone()", "hidden", "output", "Net.last"),
        ("torch.randn(8, 4)", "torch.rand(8, 4)", "input", "Net"),
        ("torch.manual_seed(3)", "torch.manual_seed(4)", "parameter", "Net.first.weight"),
    ],
)
def test_the_first_tensor_that_differs_is_named_with_its_lines(
    verified: Verified, tmp_path: Path, right: str, wrong: str, kind: str, name: str
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(NORMED)
    assert right in ON_NPU
    text = ON_NPU.replace(right, wrong)
    result = verified({"train.py": text}, source=source)
    assert result.comparison is not None and result.comparison.tensors is not None
    found = result.comparison.tensors.difference
    assert found is not None
    assert (found.first.kind, found.first.name) == (kind, name)
    if name == "Net.norm":
        assert found.first.line == line_of(NORMED, "hidden = ")
        assert found.second.line == line_of(text, "hidden = ")
        assert found.second.made == line_of(text, "LayerNorm")
    lines = list(verify_lines(result, Texts("en")))
    assert any(name in line and "first tensor that differs" in line for line in lines)
    document = verify_data(result, Texts("en"))["comparison"]["tensors"]
    assert document["first_difference"]["first"]["name"] == name


def test_equal_losses_need_no_tensors_and_the_device_notes_nothing_of_them(
    verified: Verified, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(NORMED)
    result = verified({"train.py": ON_NPU}, source=source)
    alone = verified({"train.py": ON_NPU})
    assert result.comparison is not None and result.comparison.is_same
    assert result.comparison.tensors is None
    assert (result.operators, result.unregistered) == (alone.operators, alone.unregistered)


@BEYOND_SAMPLE
def test_an_original_that_does_not_end_says_where_it_is(verified: Verified, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text("import time\n\ntime.sleep(600)\n")
    result = verified({"train.py": MIGRATED}, source=source, seconds=20)
    assert result.comparison is not None and result.comparison.failure is not None
    failure = result.comparison.failure
    assert (failure.type, failure.place and failure.place.line) == ("TimeoutError", 3)
    assert (result.ending.value, result.exit_code) == ("done", 1)


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [(1.0, 1.0005, True), (1.0, 1.01, False), (float("nan"), float("nan"), True), (1.0, float("nan"), False)],
)
def test_rounding_is_no_difference(one: float, other: float, are: bool) -> None:
    assert alike(one, other) is are
