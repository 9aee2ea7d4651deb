"""Words that must change together are not changed where one of them may not be edited."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend.cli.app import run

LIB = """import torch

def to_device(x, device):
    assert device in ["cpu", "cuda"]
    return x.to(torch.device(device))
"""
TRAIN = """from lib import to_device

to_device(x, "cuda")
"""


def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text("")
    (root / "lib.py").write_text(LIB)
    (root / "train.py").write_text(TRAIN)
    return root


def test_one_named_file_is_not_fixed_alone(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert run(["check", "--fix", "-v", "2.8.0", str(root / "train.py")]) == 1
    assert (root / "train.py").read_text() == TRAIN


def test_the_whole_project_is_fixed(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert run(["check", "--fix", "-v", "2.8.0", str(root)]) == 0
    assert '"npu"' in (root / "train.py").read_text()
    assert '["cpu", "cuda", "npu"]' in (root / "lib.py").read_text()


def test_a_file_that_is_only_copied_holds_the_others(tmp_path: Path) -> None:
    root = project(tmp_path)
    output = tmp_path / "out"
    arguments = ["migrate", "-i", str(root), "-o", str(output), "-v", "2.8.0", "--copy", "lib.py"]
    assert run(arguments) == 1
    assert (output / "project_msft" / "train.py").read_text() == TRAIN
