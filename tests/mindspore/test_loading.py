"""The target's package is loaded where the target is asked for, and by nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "gpu2ascend_mindspore"
PROGRAM = """
import sys
from gpu2ascend.__main__ import main
code = main(sys.argv[1:])
print(code, sum(name.split(".")[0] == "gpu2ascend_mindspore" for name in sys.modules), file=sys.stderr)
"""
PROJECT = {
    "train.py": "import torch\n\nnet = torch.nn.Linear(2, 2).cuda()\nnet.train()\ntorch.cuda.unknown()\n",
    "run.sh": "export CUDA_VISIBLE_DEVICES=0\npython train.py --device cuda\n",
    "requirements.txt": "torch==2.8.0\napex\n",
}


def loaded(project: Path, *arguments: str) -> tuple[int, int]:
    """The exit code of a command in a process of its own, and how many modules of the package it loaded."""
    for name, text in PROJECT.items():
        (project / name).write_text(text, encoding="utf-8")
    paths = [str(ROOT / "rules"), str(ROOT / "server")]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{PROGRAM}", *arguments],
        cwd=project,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    code, count = done.stderr.split()[-2:]
    return int(code), int(count)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", ".", "-v", "2.8.0"),
        ("check", ".", "-v", "2.8.0", "--fix", "--unsafe"),
        ("check", ".", "-v", "2.8.0", "--select", "NPU1", "--ignore", "NPU101", "--severity", "NPU1=hint"),
        ("check", ".", "--target", "accelerator"),
        ("explain", "NPU101"),
        ("migrate", "-i", ".", "-o", "../out", "-v", "2.8.0"),
    ],
    ids=" ".join,
)
def test_other_targets_load_none_of_it(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "out").mkdir()
    code, count = loaded(project, *arguments)
    assert code in (0, 1) and count == 0


@pytest.mark.slow
def test_its_own_commands_load_it(tmp_path: Path) -> None:
    code, count = loaded(tmp_path, "check", ".", "--target", "mindspore")
    assert code == 1 and count > 50
