"""``analyze --mode dynamic_shape``: hints, and a copy of the project that watches shapes when it runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ..conftest import Run

TRAIN = """\
import torch
from torch.utils.data import DataLoader

loader = DataLoader(data, batch_size=4, shuffle=True)
for x in loader:
    loss = model(x[x > 0].cuda())
    loss.backward()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "train.py").write_text(TRAIN)
    (folder / "other.py").write_text("x = 1\r\n", newline="")
    (folder / "data" / "set.bin").write_bytes(b"\0\1")
    return folder


def analyze(run: Run, project: Path, *flags: str) -> Path:
    done = run("analyze", str(project), "-v", "2.8.0", "--mode", "dynamic_shape", *flags)
    assert done.code == 1, done.err
    return project.parent / "out" / "project_dynamic_shape"


def test_the_copy_is_the_source_project_with_the_detector(run: Run, project: Path) -> None:
    copy = analyze(run, project, "-o", str(project.parent / "out"))
    text = (copy / "train.py").read_text()
    assert "for x in DETECTOR.start(loader):" in text and ".cuda()" in text and "npu" not in text
    assert (copy / "other.py").read_bytes() == b"x = 1\r\n"
    assert (copy / "data" / "set.bin").read_bytes() == b"\0\1"
    names = {path.name for path in (copy / "msft_dynamic_analysis").iterdir()}
    assert names == {"__init__.py", "hook.py", "modes.py", "report.py", "shapes.py", "texts.py"}
    assert (project / "train.py").read_text() == TRAIN


def test_the_short_flag_asks_for_the_same(run: Run, project: Path) -> None:
    flags = ("analyze", str(project), "--json")
    long = json.loads(run(*flags, "--mode", "dynamic_shape").out)
    short = json.loads(run(*flags, "--dynamic-analysis").out)
    assert short == long and short["modes"] == ["dynamic_shape"]


def test_the_short_flag_adds_to_the_modes_that_are_named(run: Run, project: Path) -> None:
    done = run("analyze", str(project), "--dynamic-analysis", "--mode", "advice", "--json")
    assert json.loads(done.out)["modes"] == ["advice", "dynamic_shape"]


def test_the_copy_for_mindspore_is_still_pytorch(run: Run, project: Path) -> None:
    out = str(project.parent / "out")
    done = run("analyze", str(project), "--target", "mindspore", "--dynamic-analysis", "-o", out)
    copy = project.parent / "out" / "project_dynamic_shape"
    assert done.code in (0, 1) and "for x in DETECTOR.start(loader):" in (copy / "train.py").read_text()
    assert "mindspore" not in (copy / "train.py").read_text()


def test_a_migration_writes_the_copy_beside_its_output(run: Run, project: Path) -> None:
    out = project.parent / "out"
    flags = ("migrate", "-i", str(project), "-o", str(out), "--target", "mindspore")
    done = run(*flags, "--dynamic-analysis")
    assert done.code in (0, 1), done.err
    assert {one.name for one in out.iterdir()} == {"project_x2ms", "project_dynamic_shape"}
    copy = out / "project_dynamic_shape"
    assert "for x in DETECTOR.start(loader):" in (copy / "train.py").read_text()
    assert str(copy) in done.err
    assert "PREFIX = 'x2ms'\n" in (copy / "msft_dynamic_analysis" / "texts.py").read_text()


def test_a_copy_that_is_there_stops_the_migration_before_it_begins(run: Run, project: Path) -> None:
    out = project.parent / "out"
    (out / "project_dynamic_shape").mkdir(parents=True)
    flags = ("migrate", "-i", str(project), "-o", str(out), "--target", "mindspore")
    done = run(*flags, "--dynamic-analysis")
    assert done.code == 2 and "project_dynamic_shape" in done.err
    assert {one.name for one in out.iterdir()} == {"project_dynamic_shape"}
    assert run(*flags).code in (0, 1)


def test_the_hints_are_findings_of_this_mode_alone(run: Run, project: Path) -> None:
    document = json.loads(
        run("analyze", str(project), "-v", "2.8.0", "--mode", "dynamic_shape", "--json").out
    )
    assert [item["code"] for item in document["findings"]] == ["DYN001", "DYN001"]
    usual = json.loads(run("analyze", str(project), "-v", "2.8.0", "--json").out)
    codes = {item["code"] for item in usual["findings"]}
    assert codes and "DYN001" not in codes
    assert "dynamic_shape" not in usual["modes"]


def test_the_hints_are_a_table(run: Run, project: Path) -> None:
    copy = analyze(run, project, "-o", str(project.parent / "out"))
    with (copy.parent / "project_analysis" / "dynamic_shape_hints.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["File", "Start Line", "End Line", "OP", "Tips"]
    assert [row[:2] for row in rows[1:]] == [["train.py", "4"], ["train.py", "6"]]


def test_an_ignore_comment_leaves_a_hint_out(run: Run, project: Path) -> None:
    done = run("analyze", str(project), "-v", "2.8.0", "--mode", "dynamic_shape", "--ignore", "DYN001")
    assert "DYN001" not in done.out and done.code == 0
    (project / "train.py").write_text(
        TRAIN.replace("\n    loss.b", "  # gpu2ascend: ignore[DYN001]\n    loss.b")
    )
    done = run("analyze", str(project), "-v", "2.8.0", "--mode", "dynamic_shape")
    assert done.out.count("DYN001") == 1


def test_a_copy_that_was_changed_is_not_replaced(run: Run, project: Path) -> None:
    out = project.parent / "out"
    copy = analyze(run, project, "-o", str(out))
    analyze(run, project, "-o", str(out), "--force")
    (copy / "train.py").write_text("changed\n")
    done = run("analyze", str(project), "-v", "2.8.0", "--mode", "dynamic_shape", "-o", str(out), "--force")
    assert done.code == 2 and (copy / "train.py").read_text() == "changed\n"


def test_what_to_do_where_no_loop_is_found(run: Run, project: Path) -> None:
    (project / "train.py").write_text("import torch\ny = torch.nonzero(x)\n")
    done = run(
        "analyze", str(project), "-v", "2.8.0", "--mode", "dynamic_shape", "-o", str(project.parent / "out")
    )
    assert "from msft_dynamic_analysis import DETECTOR" in done.err


def test_a_package_of_the_users_of_that_name_is_refused(run: Run, project: Path) -> None:
    (project / "msft_dynamic_analysis.py").write_text("x = 1\n")
    done = run(
        "analyze", str(project), "-v", "2.8.0", "--mode", "dynamic_shape", "-o", str(project.parent / "out")
    )
    assert done.code == 2 and not (project.parent / "out" / "project_dynamic_shape").exists()
