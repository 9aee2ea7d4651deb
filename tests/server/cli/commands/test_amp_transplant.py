"""``-a`` carries mixed precision over to apex for 1.5.0, with or without the distributed rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Run

TRAIN = """\
import torch
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader


def main():
    model = torch.nn.Linear(4, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = GradScaler()
    loader = DataLoader(data, 32, shuffle=True)
    for epoch in range(3):
        for x, y in loader:
            with autocast():
                loss = criterion(model(x.cuda()), y.cuda())
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    return folder


def migrated(run: Run, project: Path, *flags: str, version: str = "1.5.0") -> str:
    output = project.parent / "out"
    run("migrate", "-i", str(project), "-o", str(output), "-v", version, *flags)
    (folder,) = output.iterdir()
    return (folder / "train.py").read_text()


def test_amp_is_carried_over_and_the_rest_renamed(run: Run, project: Path) -> None:
    text = migrated(run, project, "-a", "model")
    assert "model, optimizer = amp.initialize(model, optimizer" in text
    assert "with amp.scale_loss(loss, optimizer) as scaled_loss:" in text
    assert "torch.cuda" not in text and "x.npu()" in text


def test_every_change_is_in_the_list_with_its_line_of_the_input(run: Run, project: Path) -> None:
    migrated(run, project, "-a", "model")
    (folder,) = (project.parent / "out").iterdir()
    rows = (folder / "change_list.csv").read_text(encoding="utf-8-sig").splitlines()
    lines = [row.split(",")[1] for row in rows if "NPU390" in row]
    assert lines == ["2", "9", "13"]


def test_without_it_nothing_is_carried_over(run: Run, project: Path) -> None:
    assert "amp.initialize" not in migrated(run, project)


def test_what_is_declined_is_an_error_that_is_left(run: Run, project: Path) -> None:
    (project / "train.py").write_text(TRAIN + "print(scaler.get_scale())\n")
    (project / "train.py").write_text(TRAIN.replace("scaler.update()", "log(scaler)"))
    output = project.parent / "out"
    ran = run("migrate", "-i", str(project), "-o", str(output), "-v", "1.5.0", "-a", "model")
    assert ran.code == 1
    assert "GradScaler" in (output / "project_msft" / "train.py").read_text()


def test_a_newer_version_needs_none(run: Run, project: Path) -> None:
    ran = run("migrate", "-i", str(project), "-o", "out", "-v", "2.8.0", "-a", "model")
    assert ran.code == 2 and "1.5.0" in ran.err


def test_amp_comes_before_the_distributed_rule(run: Run, project: Path) -> None:
    text = migrated(run, project, "-a", "model", "distributed", "-m", "train.py", "-t", "model")
    assert text.index("amp.initialize(") < text.index("DistributedDataParallel(model")


def test_both_must_name_the_same_model(run: Run, project: Path) -> None:
    flags = ("-a", "net", "distributed", "-m", "train.py", "-t", "model")
    ran = run("migrate", "-i", str(project), "-o", "out", "-v", "1.5.0", *flags)
    assert ran.code == 2 and "'net'" in ran.err and "'model'" in ran.err


def test_the_launcher_brings_its_scripts(run: Run, project: Path) -> None:
    flags = ("--launcher", "torchrun", "--nnodes", "2", "distributed", "-m", "train.py")
    migrated(run, project, *flags, version="2.8.0")
    (folder,) = (project.parent / "out").iterdir()
    names = {path.name for path in folder.iterdir()}
    assert {"run_distributed_npu.sh", "run_torchrun.sh", "run_distributed_ascend.sh", "env.sh"} <= names
    assert 'NNODES="${NNODES:-2}"' in (folder / "run_torchrun.sh").read_text()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("-v", "1.8.1", "--launcher", "torchrun"), "1.10"),
        (("-v", "2.8.0", "--launcher", "mpirun"), "torchrun"),
        (("-v", "2.8.0", "--nnodes", "0"), "0"),
    ],
)
def test_a_launcher_that_cannot_be_is_refused(
    run: Run, project: Path, flags: tuple[str, ...], said: str
) -> None:
    ran = run("migrate", "-i", str(project), "-o", "out", *flags, "distributed", "-m", "train.py")
    assert ran.code == 2 and said in ran.err


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("-v", "2.8.0", "-a", "model"), "--amp-transplant: AMP transplant is for PyTorch 1.5.0"),
        (("-v", "1.5.0", "--enable-amp"), "--enable-amp: PyTorch 1.5.0 has no mixed precision"),
        (("-v", "2.8.0", "--hardware", "910A"), "--hardware: releases for 910A end with"),
    ],
)
def test_options_that_contradict_one_another_are_named_as_they_are_written(
    run: Run, project: Path, flags: tuple[str, ...], named: str
) -> None:
    result = run("migrate", "-i", str(project), "-o", str(project.parent / "out"), *flags)
    assert (result.code, named in result.err) == (2, True)
