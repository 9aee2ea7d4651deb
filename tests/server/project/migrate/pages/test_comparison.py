"""The page of a migration by transfer_to_npu has the numbers of both ways."""

from __future__ import annotations

import re
from pathlib import Path

import attrs

from tests.server.project.conftest import Migrate
from tests.server.project.samples import OPTIONS, make_tree

TRAIN = """\
import torch

model = torch.nn.Linear(2, 2).cuda()
x = torch.ones(1, 2).cuda()
if x.device.type == "cuda":
    print(torch.cuda.get_device_name())
torch.cuda.nvtx.range_push("step")
for _ in range(2):
    model(x)
"""
NAMES = ("Files changed", "Places changed", "Errors left", "Warnings left", "Places to decide")


def numbers(page: str) -> dict[str, tuple[int, int]]:
    """The rows of the table: of this run, and of a migration of the code."""
    found = (
        re.search(rf"<th[^>]*>{name}</th><td[^>]*>(\d+)</td><td[^>]*>(\d+)</td>", page) for name in NAMES
    )
    return {name: (int(item[1]), int(item[2])) for name, item in zip(NAMES, found, strict=True) if item}


def test_each_way_has_the_numbers_of_its_own_migration(run: Migrate, tmp_path: Path) -> None:
    project = make_tree(tmp_path / "in" / "proj", {"train.py": TRAIN})
    code = run(project).summary
    ways = run(project, options=attrs.evolve(OPTIONS, auto=True), force=True)
    automatic = ways.summary
    assert code.edits > automatic.edits == 1
    assert automatic.errors >= 2
    assert numbers(ways.read("report.html")) == {
        "Files changed": (automatic.changed_files, code.changed_files),
        "Places changed": (automatic.edits, code.edits),
        "Errors left": (automatic.errors, code.errors),
        "Warnings left": (automatic.warnings, code.warnings),
        "Places to decide": (automatic.information, code.information),
    }


def test_what_is_left_is_named_by_rule_and_line(run: Migrate, tmp_path: Path) -> None:
    project = make_tree(tmp_path / "in" / "proj", {"train.py": TRAIN})
    page = re.sub(r"<[^>]+>", "", run(project, options=attrs.evolve(OPTIONS, auto=True)).read("report.html"))
    assert "AUTO104 (1): train.py:5" in page
    assert "AUTO107 (1): train.py:7" in page


def test_the_ordinary_way_is_compared_with_nothing(run: Migrate, tmp_path: Path) -> None:
    project = make_tree(tmp_path / "in" / "proj", {"train.py": TRAIN})
    assert numbers(run(project).read("report.html")) == {}
