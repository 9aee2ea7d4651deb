"""The kernels of a project in what ``analyze`` says, in its tables, and in the report of a migration."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ..conftest import Run

KERNEL = "__global__ void add(float* x) { x[0] = 1; }\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text("import torch\nx = torch.ones(1).cuda()\n")
    (folder / "add.cu").write_text(KERNEL)
    return folder


@pytest.mark.parametrize(
    ("language", "name", "way"), [("en", "kernel add", "torch operators"), ("zh", "核函数 add", "torch 算子")]
)
def test_each_kernel_is_a_line_and_there_is_a_total(
    run: Run, project: Path, language: str, name: str, way: str
) -> None:
    out = run("analyze", str(project), "-v", "2.8.0", "--language", language).out
    line = next(line for line in out.splitlines() if name in line)
    assert line.startswith("add.cu:1") and way in line
    assert "S: 1" in out


def test_the_table_and_the_document_have_them(run: Run, project: Path) -> None:
    out = project.parent / "out"
    document = json.loads(run("analyze", str(project), "-v", "2.8.0", "-o", str(out), "--json").out)
    (kernel,) = document["kernel_sizes"]["kernels"]
    assert (kernel["name"], kernel["effort"], kernel["way"]) == ("add", "S", "elementwise")
    assert document["kernel_sizes"]["total"]["kernels"] == 1
    with (out / "project_analysis" / "kernel_sizes.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[1][:5] == ["add.cu", "1", "1", "add", "cuda"]
    with (out / "project_analysis" / "cuda_op_list.csv").open(encoding="utf-8-sig") as file:
        assert list(csv.reader(file)) == [["File", "Api"], ["add.cu", "add"]]


def test_they_are_a_chapter_of_the_report_of_a_migration(run: Run, project: Path) -> None:
    run("migrate", "-i", str(project), "-o", str(project.parent / "out"), "-v", "2.8.0")
    page = (project.parent / "out" / "project_msft" / "report.html").read_text(encoding="utf-8")
    assert 'id="kernels"' in page and "Kernels to port: 1" in page
    (project / "add.cu").unlink()
    run("migrate", "-i", str(project), "-o", str(project.parent / "again"), "-v", "2.8.0")
    page = (project.parent / "again" / "project_msft" / "report.html").read_text(encoding="utf-8")
    assert 'id="kernels"' not in page
