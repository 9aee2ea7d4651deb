"""The file that users run on their machines runs here, on torch's CPU build, and its traces are compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.verify.traces.differing import Compared, compare_traces
from gpu2ascend.verify.traces.trace import Trace, read_trace
from gpu2ascend.verify.traces.written import recording_file
from tests.sampling import BEYOND_SAMPLE

pytestmark = pytest.mark.execution

TRAIN = """\
import sys
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8, eps=1e-5)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        hidden = self.norm(self.first(x))
        kept = hidden.clone()
        hidden.mul_(0.5)
        return {"logits": self.last(kept + hidden), "hidden": (kept, None)}


assert __name__ == "__main__" and sys.argv[1:] == ["--rate", "0.1"]
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=float(sys.argv[2]))
criterion = nn.CrossEntropyLoss()
for step in range(5):
    loss = criterion(model(torch.randn(16, 8))["logits"], torch.arange(16) % 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained", loss.item())
"""


def recorded(folder: Path, text: str, *flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    (folder / "train.py").write_text(text, encoding="utf-8")
    (folder / "record.py").write_text(recording_file(), encoding="utf-8")
    command = [sys.executable, "-I", "record.py", *flags, "train.py", "--rate", "0.1"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, **variables}, timeout=300
    )


def trace_of(folder: Path, text: str, *flags: str) -> Trace:
    done = recorded(folder, text, *flags)
    assert done.returncode == 0 and "trained" in done.stdout, done.stderr
    return read_trace(folder / "trace.json")


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return trace_of(tmp_path_factory.mktemp("right"), TRAIN)


def line_of(text: str, part: str) -> str:
    (number,) = (number for number, line in enumerate(text.splitlines(), 1) if part in line)
    return f"train.py:{number}"


def compared(right: Trace, folder: Path, one: str, other: str) -> Compared:
    assert TRAIN.count(one) == 1
    return compare_traces(right, trace_of(folder, TRAIN.replace(one, other)))


def test_two_equal_runs_are_equal(right: Trace, tmp_path: Path) -> None:
    found = compare_traces(right, trace_of(tmp_path / "again", TRAIN))
    assert found.is_same and found.common == len(right.events) > 50


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("one", "other", "kind", "name", "what"),
    [
        ("eps=1e-5", "eps=1e-3", "output", "Net.norm", "minimum"),
        ("hidden.clone()", "hidden", "output", "Net.last", None),
        ("self.norm(self.first(x))", "self.norm(self.first(x)).bfloat16()", "input", "", None),
        ("nn.LayerNorm(8, eps=1e-5)", "nn.RMSNorm(8)", "parameter", "", None),
        ("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(label_smoothing=0.1)", "output", "CrossEntropyLoss",
         "mean"),
        ("torch.arange(16) % 2", "torch.arange(16) % 2 * 0", "input", "CrossEntropyLoss", "hash"),
        ("torch.randn(16, 8)", "torch.randn(12, 8)", "input", "Net", "shape"),
    ],
)  # fmt: skip
def test_a_seeded_mistake_is_named(
    right: Trace, tmp_path: Path, one: str, other: str, kind: str, name: str, what: str | None
) -> None:
    text = TRAIN.replace(one, other)
    done = recorded(tmp_path / "wrong", text)
    found = compare_traces(right, read_trace(tmp_path / "wrong" / "trace.json"))
    assert not found.is_same
    if not name:  # the run fails, or has other parameters
        assert done.returncode or found.only_first
        return
    difference = found.difference
    assert difference is not None
    assert (difference.first.kind, difference.first.name) == (kind, name)
    assert what in (None, difference.what)


def test_a_change_of_type_is_named_with_the_lines(right: Trace, tmp_path: Path) -> None:
    found = compared(right, tmp_path / "wrong", "self.first(x))", "self.first(x).half().float())")
    difference = found.difference
    assert difference is not None and difference.first.name == "Net.norm"
    typed = TRAIN.replace("nn.Linear(8, 2)", "nn.Linear(8, 2).double()").replace(
        "self.last(kept + hidden)", "self.last((kept + hidden).double())"
    )
    found = compare_traces(right, trace_of(tmp_path / "typed", typed))
    difference = found.difference
    assert difference is not None and (difference.what, difference.one, difference.other) == (
        "dtype", "float32", "float64",
    )  # fmt: skip
    assert difference.first.name == "Net.last.weight"
    output = next(event for event in right.events if (event.kind, event.name) == ("output", "Net.norm"))
    assert (output.line, output.made) == (line_of(TRAIN, "self.norm(self"), line_of(TRAIN, "LayerNorm("))


@BEYOND_SAMPLE
def test_traces_of_other_lengths_are_told(right: Trace, tmp_path: Path) -> None:
    found = compare_traces(right, trace_of(tmp_path / "short", TRAIN, "--steps", "2"))
    assert found.difference is None and not found.is_same
    assert found.only_first and not found.only_second
    assert found.only_first[0].step == 2
    turned = compare_traces(trace_of(tmp_path / "short", TRAIN, "--steps", "2"), right)
    assert turned.only_second == found.only_first


@BEYOND_SAMPLE
def test_a_trace_has_no_data_unless_it_is_asked_for(tmp_path: Path) -> None:
    assert all(event.values == () for event in trace_of(tmp_path / "without", TRAIN).events)
    content: Any = json.loads((tmp_path / "without" / "trace.json").read_text(encoding="utf-8"))
    known = {"step", "kind", "name", "index", "shape", "dtype", "type", "line", "made", "hash", "statistics"}
    assert set().union(*content["events"]) == known
    kept = trace_of(tmp_path / "with", TRAIN, "--values", "3").events
    assert {len(event.values) for event in kept if event.shape} == {2, 3}


def test_it_changes_no_number_of_the_training(tmp_path: Path) -> None:
    done = recorded(
        tmp_path / "p", TRAIN.replace("import sys\n", "import sys, torch\ntorch.manual_seed(5)\n")
    )
    plain = subprocess.run(
        [sys.executable, "train.py", "--rate", "0.1"], cwd=tmp_path / "p", capture_output=True, text=True
    )
    assert done.stdout == plain.stdout != ""


def test_a_failure_of_the_script_is_its_own_and_the_trace_is_there(tmp_path: Path) -> None:
    text = TRAIN.replace("    optimizer.zero_grad()\n", "    optimizer.zero_grad()\n    assert step < 1\n")
    done = recorded(tmp_path / "p", text)
    assert done.returncode == 1 and "AssertionError" in done.stderr
    assert read_trace(tmp_path / "p" / "trace.json").steps == 1


@BEYOND_SAMPLE
def test_each_rank_writes_its_own(tmp_path: Path) -> None:
    done = recorded(tmp_path / "p", TRAIN, RANK="1", WORLD_SIZE="2")
    assert done.returncode == 0, done.stderr
    assert read_trace(tmp_path / "p" / "trace.rank1.json").rank == 1


WRAPPED = TRAIN.replace("model = Net()\n", "model = nn.DataParallel(Net())\n")


def test_a_wrapper_of_the_model_changes_no_name(right: Trace, tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "wrapped", WRAPPED)
    assert {event.name for event in right.events} == {event.name for event in trace.events}


UNUSUAL = """\
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.empty = nn.Identity()

    def forward(self, x):
        self.empty(torch.zeros(0))
        self.empty(torch.tensor([float("nan"), float("inf"), 1.0]))
        self.empty(torch.ones(2, dtype=torch.complex64))
        self.empty(torch.ones(2, dtype=torch.bool))
        self.empty(torch.ones(2, device="meta"))
        self.empty(torch.eye(2).to_sparse())
        return self.b(checkpoint(self.a, x, use_reentrant=False))


model = Net()
torch.func.vmap(model.b)(torch.ones(3, 4))
traced = torch.jit.trace(nn.Linear(4, 4), torch.ones(1, 4))
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = traced(model(torch.ones(2, 4))).sum().square()
    loss.backward()
    return loss


optimizer.step(closure)
with torch.no_grad():
    torch.compile(model)(torch.ones(2, 4))
print("trained")
"""


@BEYOND_SAMPLE
def test_whatever_a_program_does_with_tensors(tmp_path: Path) -> None:
    one = trace_of(tmp_path / "one", UNUSUAL)
    assert compare_traces(one, trace_of(tmp_path / "two", UNUSUAL)).is_same
    assert {event.dtype for event in one.events} >= {"complex64", "bool", "float32"}
    assert any(event.statistics.get("not_finite") == 2 for event in one.events)
