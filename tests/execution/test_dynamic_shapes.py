"""The detector of dynamic shapes on the CPU: a copy runs without torch_npu and says what changes."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.project.migrate.detection.detecting_copy import write_detecting_copy
from gpu2ascend_rules.options.options import options_from

pytestmark = [pytest.mark.execution, pytest.mark.slow]

TRAIN = """\
import random
import sys

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from net import Net

random.seed(0)
torch.manual_seed(0)
data = [(torch.randn(3, 8, 8), index % 2) for index in range(22)]
loader = DataLoader(data, batch_size=4)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    for step, (x, y) in enumerate(loader):
        out = net(x)
        losses = F.cross_entropy(out, y, reduction="none")
        hard = losses[torch.rand(len(losses)) > 0.5]
        drawn = x[: 2 + step % 2]
        optimizer.zero_grad()
        (losses.mean() + hard.sum() * 0).backward()
        optimizer.step()
print("trained", step)
"""
NET = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.fc = torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).mean((2, 3)))
"""
BY_HAND = """\
import torch
from msft_dynamic_analysis.hook import DETECTOR

for n in DETECTOR.start([1, 2, 3]):
    DETECTOR.hook_func(torch.zeros, "zeros", 0, n)
"""
PADDED = """\
import torch
from msft_dynamic_analysis import DETECTOR

batches = [torch.ones(2, 5), torch.ones(2, 7), torch.ones(2, 6)]
for batch in DETECTOR.start(batches):
    batch.cos()
"""
UNSEEN = """\
import torch
from msft_dynamic_analysis import DETECTOR

def fails(*args):
    raise ValueError("a defect of ours")

DETECTOR._note = fails
for step in DETECTOR.start(range(3)):
    torch.ones(step + 1).cos()
print("trained", step)
"""


class Copy:
    """A copied project."""

    def __init__(self, folder: Path, files: dict[str, str], **more: str) -> None:
        project = folder / "project"
        project.mkdir()
        for name, text in files.items():
            (project / name).write_text(text)
        options = options_from({"version": "2.8.0", **more})
        done = write_detecting_copy(project, folder / "out", options, force=False, language="en")
        self.path = done.path

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, script],
            cwd=self.path,
            env={**os.environ, "PYTHONPATH": str(self.path), **variables},
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr
        return done

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.path / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def causes(self) -> set[tuple[str, str]]:
        rows = self.rows("msft_dynamic_shape_causes")
        return {(row["Function Name"], row["Cause"].partition(" ")[0]) for row in rows}


def test_causes_are_named_and_the_last_batch_is_none(tmp_path: Path) -> None:
    copy = Copy(tmp_path, {"train.py": TRAIN, "net.py": NET})
    assert copy.run("train.py").stdout == "trained 5\n"
    report = copy.rows("msft_dynamic_shape_analysis_report")
    assert list(report[0]) == [
        "Function Name", "File Path", "Line Number", "Call Stack", "Input Shape Range", "Output Shape Range",
    ]  # fmt: skip
    assert ("torch.Tensor.__getitem__", "Result") in copy.causes  # by the values of the mask
    assert ("torch.Tensor.__getitem__", "Sizes") in copy.causes  # by the bounds of the slice
    assert ("DataLoader", "Only") in copy.causes  # the last batch
    assert {row["Function Name"] for row in report} & {"torch.conv2d", "torch.nn.functional.linear"} == set()
    mask = next(row for row in report if row["Input Shape Range"] == "[(4)-(4)]; [(4)-(4)]")
    assert mask["File Path"] == "train.py" and mask["Call Stack"].startswith("train.py:")


def test_reports_have_the_names_of_the_target(tmp_path: Path) -> None:
    copy = Copy(tmp_path, {"train.py": PADDED}, target="mindspore")
    copy.run("train.py")
    assert {path.name for path in copy.path.glob("*.csv")} == {
        "x2ms_dynamic_shape_analysis_report.csv",
        "x2ms_dynamic_shape_causes.csv",
    }


def test_a_function_can_be_named_by_hand(tmp_path: Path) -> None:
    copy = Copy(tmp_path, {"run.py": BY_HAND, "train.py": "import torch\n"})
    copy.run("run.py")
    rows = copy.rows("msft_dynamic_shape_analysis_report")
    assert ("zeros#0", "[(1)-(3)]") in {(row["Function Name"], row["Output Shape Range"]) for row in rows}


def test_batches_of_several_lengths_are_the_loaders(tmp_path: Path) -> None:
    copy = Copy(tmp_path, {"run.py": PADDED})
    copy.run("run.py")
    assert {("DataLoader", "The"), ("torch.Tensor.cos", "Changes")} <= copy.causes


def test_what_is_kept_has_a_bound_and_more_is_counted(tmp_path: Path) -> None:
    copy = Copy(tmp_path, {"run.py": PADDED})
    copy.run("run.py", DYNAMIC_SHAPE_CALLS="1")
    assert {name for name, _ in copy.causes} == {"DataLoader", ""}
    assert copy.rows("msft_dynamic_shape_causes")[-1]["Calls"] == "3"


def test_a_defect_of_the_detector_ends_no_training(tmp_path: Path) -> None:
    done = Copy(tmp_path, {"run.py": UNSEEN}).run("run.py")
    assert done.stdout == "trained 2\n" and "a defect of ours" in done.stderr


def test_each_rank_has_its_own_report(tmp_path: Path) -> None:
    copy = Copy(tmp_path, {"run.py": PADDED})
    copy.run("run.py", RANK="1")
    assert [path.name for path in sorted(copy.path.glob("msft_*.csv"))] == [
        "msft_dynamic_shape_analysis_report_rank1.csv",
        "msft_dynamic_shape_causes_rank1.csv",
    ]
