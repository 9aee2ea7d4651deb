"""``--enable-amp`` mixes the precision of every training loop of a project, or says where and why not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ..conftest import Run

HEAD = "import torch\nmodel = torch.nn.Linear(4, 1).cuda()\n"
LOOP = """\
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
"""
OTHER = "import torch\n\ndef fit(model, x):\n    loss = model(x.cuda())\n    loss.backward()\n"
MIXED = "import torch\nwith torch.cuda.amp.autocast():\n    loss = f(x)\nloss.backward()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(HEAD + LOOP)
    (folder / "finetune.py").write_text(HEAD + LOOP)
    (folder / "other.py").write_text(OTHER)
    (folder / "mixed.py").write_text(MIXED)
    return folder


def migrated(run: Run, project: Path, *flags: str) -> Path:
    run("migrate", "-i", str(project), "-o", str(project.parent / "out"), "-v", "2.8.0", *flags)
    return project.parent / "out" / "project_msft"


def test_every_training_loop_of_the_project_is_concerned(run: Run, project: Path) -> None:
    output = migrated(run, project, "--enable-amp")
    for name in ("train.py", "finetune.py"):
        text = (output / name).read_text()
        assert text.startswith("import torch\nimport torch_npu\n")
        assert "scaler = torch_npu.npu.amp.GradScaler()\n" in text
        assert "    with torch_npu.npu.amp.autocast():\n        loss = " in text
        assert "    scaler.scale(loss).backward()\n    scaler.step(optimizer)\n    scaler.update()\n" in text


def test_without_it_nothing_is_mixed(run: Run, project: Path) -> None:
    assert "amp" not in (migrated(run, project) / "train.py").read_text()


def test_the_list_of_changes_has_each_with_its_line_of_the_input(run: Run, project: Path) -> None:
    output = migrated(run, project, "--enable-amp")
    with (output / "change_list.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row[:2] for row in csv.reader(file) if "NPU391" in row[-1]]
    assert [line for name, line in rows if name == "train.py"] == ["1", "4", "5"]
    assert {name for name, _ in rows} == {"train.py", "finetune.py"}


def test_what_is_declined_is_reported_with_its_place_and_reason(run: Run, project: Path) -> None:
    output = migrated(run, project, "--enable-amp")
    log = (output / "msFmkTranspltlog.txt").read_text()
    (other,) = [
        line
        for line in log.splitlines()
        if "NPU391" in line and "other.py" in line and "trains as before" in line
    ]
    assert "other.py:5" in other and "no optimizer steps" in other
    assert "amp" not in (output / "other.py").read_text()
    (mixed,) = [line for line in log.splitlines() if "NPU391" in line and "mixed.py" in line]
    assert "mixed.py:2" in mixed and "already" in mixed


def test_a_file_can_be_left_out(run: Run, project: Path) -> None:
    (project / "train.py").write_text("# gpu2ascend: ignore-file[NPU391]\n" + HEAD + LOOP)
    output = migrated(run, project, "--enable-amp")
    assert "amp" not in (output / "train.py").read_text()
    assert "amp" in (output / "finetune.py").read_text()


def test_the_settings_of_a_project_can_ask_for_it(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.gpu2ascend]\nenable-amp = true\n")
    assert "autocast" in (migrated(run, project) / "train.py").read_text()


def test_the_distributed_rule_sees_what_it_leaves(run: Run, project: Path) -> None:
    text = "import torch\n\n\ndef main():\n    " + (HEAD + LOOP).removeprefix("import torch\n").replace(
        "\n", "\n    "
    )
    loader = "    loader = torch.utils.data.DataLoader(data, 32)\n    for"
    text = text.replace("    for", loader, 1).rstrip() + "\n\n\nif __name__ == '__main__':\n    main()\n"
    (project / "train.py").write_text(text)
    flags = ("-i", str(project), "-o", str(project.parent / "out"), "-v", "2.8.0", "--enable-amp")
    run("migrate", *flags, "--distributed", "-m", "train.py")
    new = (project.parent / "out" / "project_msft_multi" / "train.py").read_text()
    assert "DistributedDataParallel(" in new and "scaler.scale(loss).backward()" in new


@pytest.mark.parametrize(
    ("version", "flags", "reason"),
    [
        ("1.5.0", (), "1.5.0 has no mixed precision in torch_npu"),
        ("1.5.0", ("--amp-transplant",), "remove this or --amp-transplant"),
    ],
)
def test_what_it_cannot_go_with_is_refused(
    run: Run, project: Path, version: str, flags: tuple[str, ...], reason: str
) -> None:
    output = project.parent / "out"
    ran = run("migrate", "-i", str(project), "-o", str(output), "-v", version, "--enable-amp", *flags)
    assert ran.code == 2 and reason in ran.err and not output.exists()
