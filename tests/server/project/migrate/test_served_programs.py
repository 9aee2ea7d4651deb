"""A program that takes the word for the NPU already: its devices stay, and it is told how to start it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.server.project.conftest import migrated_files

OPTIONS = """import argparse

def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", choices=["cpu", "npu", "cuda"])
    parser.add_argument("--dist_backend", default="nccl", choices=["nccl", "gloo"])
    return parser.parse_args()
"""
TRAIN = """import torch
import torch.distributed as dist
from arguments import get_args

args = get_args()
dist.init_process_group(args.dist_backend)
model = torch.nn.Linear(2, 2).to(args.device)
if args.device == "cuda":
    torch.cuda.synchronize()
"""
RUN = """export CUDA_VISIBLE_DEVICES="0,1"
dist_backend="nccl"
torchrun --nproc_per_node=2 train.py --dist_backend $dist_backend --device cuda
"""
PROGRAM = {"arguments.py": OPTIONS, "train.py": TRAIN, "run.sh": RUN}


def migrated(tmp_path: Path, files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """The files after a migration, and what NPU109 says."""
    done = migrated_files(tmp_path, files)
    said = [f"{place} {options}" for place, options in re.findall(r"(\S+): NPU109 .*?`([^`]+)`", done.log)]
    return done.texts(files), said


def test_a_program_that_serves_the_npu_stays_as_it_is(tmp_path: Path) -> None:
    after, said = migrated(tmp_path, PROGRAM)
    assert after == PROGRAM
    assert said == ["arguments.py:5 --device npu"]


DECLARATIONS = {
    "click": 'import click\n\n@click.command()\n@click.option("--kind", type=click.Choice(["npu", "cuda"]))\n'
    '@click.option("--device", default="cuda")\ndef main(kind, device):\n',
    "a constant": 'import argparse\nKINDS = ("npu", "cuda")\np = argparse.ArgumentParser()\n'
    'p.add_argument("--kind", choices=KINDS)\np.add_argument("--device", default="cuda")\n'
    "args = p.parse_args()\ndevice = args.device\nif True:\n",
    "absl": "from absl import flags\nFLAGS = flags.FLAGS\n"
    'flags.DEFINE_enum("kind", "cuda", ["npu", "cuda"], "")\nflags.DEFINE_string("device", "cuda", "")\n'
    "def main():\n    device = FLAGS.device\n",
    "a dataclass": "from dataclasses import dataclass\nfrom typing import Literal\nimport tyro\n\n"
    "@dataclass\n"
    'class Args:\n    kind: Literal["npu", "cuda"] = "cuda"\n    device: str = "cuda"\n\n'
    "def main(args: Args):\n    device = args.device\n",
    "a default": 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--kind", default="npu")\n'
    'p.add_argument("--device", default="cuda")\nargs = p.parse_args()\ndevice = args.device\nif True:\n',
}
USE = "    import torch\n    torch.ones(2, device=device)\n"


@pytest.mark.parametrize("declared", DECLARATIONS.values(), ids=DECLARATIONS)
def test_however_the_option_is_declared(tmp_path: Path, declared: str) -> None:
    files = {"main.py": declared + USE}
    after, said = migrated(tmp_path, files)
    assert after == files
    assert len(said) == 1
    assert said[0].endswith(" --kind npu")


def test_its_configuration_stays_too(tmp_path: Path) -> None:
    reads = "import yaml\ncfg = yaml.safe_load(open('conf.yaml'))\nmodel.to(cfg['device'])\n"
    files = {**PROGRAM, "train.py": TRAIN + reads, "conf.yaml": "device: cuda\n"}
    assert migrated(tmp_path, files)[0] == files


def test_a_link_to_its_module_leads_to_it(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "train.py").write_text(OPTIONS + "args = get_args()\n")
    (root / "egs").mkdir()
    (root / "egs" / "bin").symlink_to("../bin")
    script = "export CUDA_VISIBLE_DEVICES=0\npython bin/train.py --device cuda\n"
    (root / "egs" / "run.sh").write_text(script)
    options = options_from({"version": "2.8.0"})
    result = migrate(MigrationRequest(input=root, output=tmp_path / "out", options=options, jobs=1))
    assert result.output_path is not None
    assert (result.output_path / "egs" / "run.sh").read_text() == script


def test_a_launcher_in_python_stays_too(tmp_path: Path) -> None:
    launcher = (
        "import os\nimport subprocess\nenv = dict(os.environ, CUDA_VISIBLE_DEVICES='0')\n"
        "subprocess.run(['python', 'train.py', '--device', 'cuda'], env=env)\n"
    )
    assert migrated(tmp_path, {**PROGRAM, "launch.py": launcher})[0]["launch.py"] == launcher


def test_another_program_of_the_project_is_migrated(tmp_path: Path) -> None:
    tool = (
        "import argparse\nimport torch\np = argparse.ArgumentParser()\n"
        'p.add_argument("--device", default="cuda")\na = p.parse_args()\nx = torch.ones(2, device=a.device)\n'
    )
    script = "export CUDA_VISIBLE_DEVICES=0\npython tool.py --device cuda\n"
    after, _ = migrated(tmp_path, {**PROGRAM, "tool.py": tool, "tool.sh": script})
    assert 'default="npu"' in after["tool.py"]
    assert after["tool.sh"] == "export ASCEND_RT_VISIBLE_DEVICES=0\npython tool.py --device npu\n"
    assert after["run.sh"] == RUN


def test_a_migrated_program_is_not_told_to_start_otherwise(tmp_path: Path) -> None:
    text = OPTIONS.replace(', "cuda"]', "]").replace("cuda", "npu").replace("nccl", "hccl")
    assert migrated(tmp_path, {"arguments.py": text})[1] == []


BEGUN = """import argparse
import torch

p = argparse.ArgumentParser()
p.add_argument("--backend", default="hccl"{more})
p.add_argument("--device", default="cuda")
args = p.parse_args()
torch.ones(2).to(args.device)
{test}
"""


@pytest.mark.parametrize(
    ("more", "test", "is_served"),
    [
        ("", "", True),
        ("", "# before: if args.device == 'cuda'", True),
        ("", "print(args.device == 'cuda')", False),
        (", choices=['nccl', 'hccl']", "print(args.device == 'cuda')", True),
        (", choices=['hccl'], help='of gpu jobs'", "print(args.device == 'cuda')", False),
    ],
    ids=["nothing tests", "a comment tests", "code tests", "both are offered", "one is offered"],
)
def test_an_option_that_begins_with_the_npu_serves_it_unless_code_tests_for_cuda(
    tmp_path: Path, more: str, test: str, is_served: bool
) -> None:
    files = {"train.py": BEGUN.format(more=more, test=test)}
    after, _ = migrated(tmp_path, files)
    assert (after == files) is is_served
