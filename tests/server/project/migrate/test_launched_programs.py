"""Commands in Python code: what they pass to the project's programs follows what was changed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.project.conftest import migrated_files

TRAIN = """import argparse
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
parser.add_argument("--dist-backend", default="nccl")
args = parser.parse_args()
device = torch.device(args.device)
dist.init_process_group(args.dist_backend)
"""
OF_TENSORFLOW = """import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--device")
with tf.device(parser.parse_args().device):
    pass
"""
STORE = """import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="files")
parser.add_argument("--dist-backend", choices=["mpi", "gloo"])
parser.add_argument("--device", type=int, default=0)
print(parser.parse_args())
"""


def migrated(tmp_path: Path, command: str) -> str:
    files = {
        "train.py": TRAIN,
        "tool.py": OF_TENSORFLOW,
        "store.py": STORE,
        "choice.py": f"import torch\n{STORE}",
        "launch.py": f"import os\nimport subprocess\nimport sys\n{command}\n",
    }
    return migrated_files(tmp_path, files).read("launch.py").splitlines()[-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "os.system('cd x; python train.py --device cuda:0 --dist-backend=nccl')",
            "os.system('cd x; python train.py --device npu:0 --dist-backend=hccl')",
        ),
        (
            "subprocess.run(['torchrun', 'train.py', '--dist-backend', 'nccl'])",
            "subprocess.run(['torchrun', 'train.py', '--dist-backend', 'hccl'])",
        ),
        (
            "subprocess.check_call([sys.executable, 'train.py', '--dist-backend=nccl'])",
            "subprocess.check_call([sys.executable, 'train.py', '--dist-backend=hccl'])",
        ),
        (
            "subprocess.run(['python', 'train.py', '--device', 'cuda:1', '--dist-backend', 'nccl'])",
            "subprocess.run(['python', 'train.py', '--device', 'npu:1', '--dist-backend', 'hccl'])",
        ),
        (
            "subprocess.run('python -m train --device=cuda', shell=True)",
            "subprocess.run('python -m train --device=npu', shell=True)",
        ),
    ],
)
def test_a_value_follows_the_program_that_is_started(tmp_path: Path, before: str, after: str) -> None:
    assert migrated(tmp_path, before) == after


@pytest.mark.parametrize(
    "command",
    [
        "os.system('python tool.py --device cuda')",
        "os.system('python store.py --backend nccl')",
        "subprocess.run(['python', 'store.py', '--backend', 'nccl'])",
        "subprocess.run(['python', 'choice.py', '--dist-backend', 'nccl'])",
        "os.system('python choice.py --device cuda')",
        "os.system('python other.py --device cuda')",
        "os.system('echo train.py --device cuda')",
        "print('python train.py --device cuda')",
        "subprocess.run(['python', 'other.py', '--backend', 'nccl'])",
    ],
)
def test_what_no_program_shows_stays(tmp_path: Path, command: str) -> None:
    assert migrated(tmp_path, command) == command


def test_an_option_that_its_program_keeps_is_not_reported(tmp_path: Path) -> None:
    for program, is_reported in (("tool.py", False), ("other.py", True)):
        place = tmp_path / program
        place.mkdir()
        migrated(place, f"os.system('python {program} --device cuda')")
        log = next((place / "out").rglob("*Transpltlog.txt")).read_text()
        assert ("NPU907" in log) is is_reported


def test_a_program_that_starts_itself_ends(tmp_path: Path) -> None:
    itself = "os.system('python launch.py --device cuda')"
    assert migrated(tmp_path, f'print("--device")\n{itself}') == itself
