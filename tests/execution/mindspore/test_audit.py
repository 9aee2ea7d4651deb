"""Every rule of MindSpore's semantics, and every silent difference, has a test: ``audit.tsv`` says which.

``part`` is a section of what is known of MindSpore, or ``silent``: what runs there and gives something else.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from .needs import needs_mindspore

ROOT = Path(__file__).parents[3]
with (Path(__file__).parent / "audit.tsv").open(encoding="utf-8", newline="") as _stream:
    ROWS = list(csv.DictReader(_stream, delimiter="\t", quoting=csv.QUOTE_NONE))
SECTIONS = {f"5.{number}" for number in range(1, 19)} | {"6", "silent"}


@cache
def collected() -> frozenset[str]:
    """The tests of the files that the table names, with the names of their cases."""
    files = sorted({one.partition("::")[0] for row in ROWS for one in row["tests"].split(" | ")})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return frozenset(line for line in ran.stdout.splitlines() if "::" in line)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['part']} {row['row']}")
def test_a_row_has_tests_that_there_are(row: dict[str, str]) -> None:
    for one in row["tests"].split(" | "):
        assert any(name == one or name.startswith((f"{one}::", f"{one}[")) for name in collected()), one


def test_every_section_has_rows_and_all_silent_differences_are_there() -> None:
    assert {row["part"] for row in ROWS} == SECTIONS
    assert sum(row["part"] == "silent" for row in ROWS) == 44


def test_outcomes_are_stated() -> None:
    assert all(row["outcome"] and row["row"] for row in ROWS)


@pytest.mark.mindspore
@pytest.mark.slow
@needs_mindspore[-1]
def test_the_mean_of_integers_raises_in_torch() -> None:
    import mindspore
    import torch

    with pytest.raises(RuntimeError):
        torch.tensor([1, 2]).mean()
    assert mindspore.Tensor([1, 2]).mean() == 1


@pytest.mark.mindspore
@pytest.mark.slow
@needs_mindspore[-1]
def test_the_largest_of_values_with_nan_is_as_told() -> None:
    import math

    import mindspore
    import torch

    values = [1.0, math.nan]
    assert math.isnan(torch.tensor(values).max()) and mindspore.Tensor(values).max() == 1
    told = " ".join((ROOT / "docs" / "mindspore.md").read_text(encoding="utf-8").split())
    assert "return `nan` in PyTorch, but the largest number in MindSpore on the CPU" in told
