"""Words that must change together are not changed where one of them may not be edited."""

from __future__ import annotations

from pathlib import Path

import pytest

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


USES = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
parser.add_argument("--backend", default="nccl")
args = parser.parse_args()
if args.device == "cuda":
    x = torch.ones(2).to(args.device)
if args.backend == "nccl":
    torch.distributed.init_process_group(args.backend)
"""
COMMAND = "python train.py --device cuda --backend nccl\n"


@pytest.mark.parametrize("how", ["a comment", "an option"])
def test_a_silenced_rule_holds_the_words_that_would_change_with_it(tmp_path: Path, how: str) -> None:
    text = USES.replace(
        '"cuda":', '"cuda":  # gpu2ascend: ignore[NPU202]' if how == "a comment" else '"cuda":'
    )
    (tmp_path / "train.py").write_text(text)
    ignored = [] if how == "a comment" else ["--ignore", "NPU202"]
    assert run(["check", "--fix", "-v", "2.8.0", *ignored, str(tmp_path)]) == 1
    fixed = (tmp_path / "train.py").read_text()
    assert 'default="cuda", choices=["cuda", "cpu"]' in fixed
    assert 'default="hccl"' in fixed


def test_a_selected_rule_brings_those_that_change_words_of_the_same_units(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(USES)
    (tmp_path / "train.sh").write_text(COMMAND)
    selected = ["-v", "2.8.0", "--select", "NPU203", str(tmp_path)]
    run(["check", "--diff", *selected])
    assert "--device npu" in capsys.readouterr().out
    run(["check", "--fix", *selected])
    assert '"cuda"' not in (tmp_path / "train.py").read_text()
    assert "--device npu" in (tmp_path / "train.sh").read_text()


@pytest.mark.parametrize("step", [1, -1], ids=["ascending", "descending"])
def test_rules_that_are_fixed_one_by_one_end_in_what_all_at_once_do(tmp_path: Path, step: int) -> None:
    for name in ("once", "each"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(USES)
        (tmp_path / name / "train.sh").write_text(COMMAND)
    run(["check", "--fix", "-v", "2.8.0", str(tmp_path / "once")])
    for code in ("NPU1009", "NPU201", "NPU202", "NPU203", "NPU401")[::step]:
        run(["check", "--fix", "-v", "2.8.0", "--select", code, str(tmp_path / "each")])
    once, each = (
        {file.name: file.read_text() for file in (tmp_path / name).iterdir()} for name in ("once", "each")
    )
    assert once == each
    assert "cuda" not in "".join(once.values())
