"""Whose fault it is, where a migrated project really runs: the original runs to the same place."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.manifest.marker import MARKER_NAME, Marker, marker_bytes
from gpu2ascend.verify.result.model import Fault
from tests.server.verify.conftest import Verified
from tests.server.verify.scripts import SINGLE

pytestmark = pytest.mark.execution

ORIGINAL = (
    SINGLE.replace("import torch_npu\n", "").replace("torch_npu.npu", "torch.cuda").replace("npu:0", "cuda:0")
)
FORGOTTEN = SINGLE.replace("        y = y.to(device)\n", "")
OPTION = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
parser.parse_args(["--local-rank=0"])
"""
CHOSEN = """\
import argparse
import torch

def chosen():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    device = parser.parse_args().device
    if device == "npu":
        return torch.device("npu") if torch.npu.is_available() else torch.device("cpu")
    return torch.device(device) if torch.cuda.is_available() else torch.device("cpu")

"""
IN_PROCESS = """\
import multiprocessing
import torch

def train(rank):
    raise KeyError("label")

if __name__ == "__main__":
    process = multiprocessing.Process(target=train, args=(0,))
    process.start()
    process.join()
"""
CAUGHT = """\
import sys

import torch

try:
    {}["label"]
except KeyError as error:
    print(error, file=sys.stderr)
    sys.exit(3)
"""


@pytest.mark.parametrize(
    ("original", "migrated", "fault"),
    [
        pytest.param(ORIGINAL, FORGOTTEN, Fault.MIGRATION, id="what was forgotten"),
        pytest.param(
            ORIGINAL.replace("range(4)", "range(-1 / 2)"),
            SINGLE.replace("range(4)", "range(-1 / 2)"),
            Fault.PROJECT,
            id="what never ran",
        ),
    ],
)
def test_the_original_of_a_migrated_project_runs_to_the_same_place(
    verified: Verified, tmp_path: Path, original: str, migrated: str, fault: Fault
) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "train.py").write_text(original)
    marker = marker_bytes(Marker("0.6", (), source=str(tmp_path / "source"))).decode("ascii")
    result = verified({"train.py": migrated, MARKER_NAME: marker}, steps=2)
    assert result.failure is not None and result.failure.fault is fault


def test_without_leave_the_original_does_not_run(verified: Verified, tmp_path: Path) -> None:
    result = verified({"train.py": FORGOTTEN}, source=tmp_path, runs_original=False)
    assert result.failure is not None and result.failure.fault is None


def test_an_exit_of_a_parser_is_a_failure_with_its_line_and_finding(verified: Verified) -> None:
    failure = verified({"train.py": f"import torch\n\n{OPTION}"}, "train.py").failure
    assert failure is not None and failure.place is not None
    assert (failure.type, failure.place.line) == ("SystemExit", 7)
    assert "unrecognized arguments: --local-rank=0" in failure.text
    assert [(rule.code, rule.place and rule.place.line) for rule in failure.rules] == [("NPU412", 6)]


def test_an_exit_after_an_error_that_was_caught_is_that_error(verified: Verified) -> None:
    failure = verified({"train.py": CAUGHT}).failure
    assert failure is not None and failure.place is not None
    assert (failure.type, failure.place.line) == ("KeyError", 6)


def test_a_project_that_takes_cuda_unless_told_otherwise_is_told_so(verified: Verified) -> None:
    chosen = SINGLE.replace("import torch\n", CHOSEN, 1).replace('"npu:0"', "chosen()")
    result = verified({"train.py": chosen}, steps=2)
    assert result.is_passed and result.is_on_cpu
    assert [(rule.code, rule.place and rule.place.path) for rule in result.left_on_cpu] == [
        ("NPU201", "train.py")
    ]
    told = verified({"train.py": chosen}, "train.py", "--device", "npu", steps=2)
    assert told.is_passed and not told.is_on_cpu and not told.left_on_cpu


def test_what_ends_a_process_is_the_failure_where_its_parent_goes_on(verified: Verified) -> None:
    failure = verified({"train.py": IN_PROCESS}).failure
    assert failure is not None and failure.place is not None
    assert (failure.type, failure.place.line) == ("KeyError", 5)
