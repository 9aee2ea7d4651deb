"""Keys of configurations and environment variables: whatever gives them a value moves with the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_shell_scripts import migrated

_READS = """import os
import torch

device = os.environ.get("TRAIN_DEVICE", "cuda")
if device not in ["cuda", "cpu"]:
    raise SystemExit(device)
model = torch.nn.Linear(2, 2).to(device)
"""
_HYDRA = """import hydra
import torch
import torch.distributed as dist


@hydra.main(config_path="conf", config_name="config")
def main(cfg):
    dist.init_process_group(cfg.trainer.dist.backend)
    model = torch.nn.Linear(2, 2).to(cfg.trainer.device)
    print(cfg.name)


main()
"""
_CONFIG = "name: cuda\ntrainer:\n  device: cuda\n  dist:\n    backend: nccl\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


_SCRIPTS = {
    "run.sh": "export TRAIN_DEVICE=cuda\npython train.py\nTRAIN_DEVICE=cuda:1 python train.py\n",
    "Dockerfile": 'FROM python:3.10\nENV TRAIN_DEVICE=cuda\nCMD ["python", "train.py"]\n',
    "Makefile": "train:\n\tTRAIN_DEVICE=cuda python train.py\n",
    ".env": "TRAIN_DEVICE=cuda\n",
}


@pytest.mark.parametrize(
    "read",
    ['os.environ.get("TRAIN_DEVICE", "cuda")', 'os.environ["TRAIN_DEVICE"]', "os.getenv('TRAIN_DEVICE')"],
)
def test_a_variable_moves_with_the_code_that_reads_it(root: Path, tmp_path: Path, read: str) -> None:
    reads = _READS.replace('os.environ.get("TRAIN_DEVICE", "cuda")', read)
    output, _ = migrated(root, {"train.py": reads, **_SCRIPTS}, tmp_path)
    written = {name: (output / name).read_text() for name in _SCRIPTS}
    assert written == {name: text.replace("cuda", "npu") for name, text in _SCRIPTS.items()}


def test_a_variable_that_the_code_only_shows_stays(root: Path, tmp_path: Path) -> None:
    text = "export TRAIN_MODE=cuda\npython train.py\n"
    shows = 'import os\nimport torch\n\nprint(os.environ["TRAIN_MODE"], torch.cuda.is_available())\n'
    output, _ = migrated(root, {"train.py": shows, "run.sh": text}, tmp_path)
    assert (output / "run.sh").read_text() == text


_OVERRIDES = {
    "trainer.device=cuda": "trainer.device=npu",
    "+trainer.device=cuda:0": "+trainer.device=npu:0",
    "-m trainer.device=cpu,cuda": "-m trainer.device=cpu,npu",
    "trainer.dist.backend=nccl": "trainer.dist.backend=hccl",
    "name=cuda": "name=cuda",
    "other.device=8": "other.device=8",
}


def test_an_override_moves_with_the_key(root: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"conf/config.yaml": _CONFIG, "train.py": _HYDRA}
    script = "".join(f"python train.py {command}\n" for command in _OVERRIDES)
    output, _ = migrated(root, {**files, "run.sh": script}, tmp_path)
    expected = "".join(f"python train.py {command}\n" for command in _OVERRIDES.values())
    assert (output / "run.sh").read_text() == expected
    assert (output / "conf/config.yaml").read_text() == (
        "name: cuda\ntrainer:\n  device: npu\n  dist:\n    backend: hccl\n"
    )


_PARSER = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("kind", nargs="?", default="cuda")
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
model = torch.nn.Linear(2, 2).to(args.device)
model.to(args.kind)
"""
_CALLED = {
    "all.sh": 'python train.py "$@"\n',
    "second.sh": "DEVICE=${2:-cpu}\nshift\npython train.py $1 --device $DEVICE\n",
    "jobs/first.sh": "bash second.sh data $1\n",
}
_CALLS = {
    "bash all.sh --device cuda": "bash all.sh --device npu",
    "./all.sh data cuda": "./all.sh data npu",
    "bash second.sh data cuda": "bash second.sh data npu",
    "sbatch -n 1 jobs/first.sh cuda": "sbatch -n 1 jobs/first.sh npu",
    "python train.py cuda cuda": "python train.py cuda npu",
    "bash other.sh --device cuda": "bash other.sh --device cuda",
}


def test_arguments_that_scripts_hand_on_move_with_the_program(root: Path, tmp_path: Path) -> None:
    script = "".join(f"{command}\n" for command in _CALLS)
    output, _ = migrated(root, {"train.py": _PARSER, **_CALLED, "run.sh": script}, tmp_path)
    assert (output / "run.sh").read_text() == "".join(f"{command}\n" for command in _CALLS.values())
    assert {name: (output / name).read_text() for name in _CALLED} == _CALLED


_TRAINS = "    model = torch.nn.Linear(2, 2).to({0})\n    model.to({1})\n"
_DECLARED = {
    "absl": "import torch\nfrom absl import app, flags\nFLAGS = flags.FLAGS\n"
    'flags.DEFINE_string("device", "cuda", "where")\n'
    'flags.DEFINE_enum("other", "cuda", ["cpu", "cuda"], "where")\ndef main(_):\n'
    + _TRAINS.format("FLAGS.device", "FLAGS.other")
    + "app.run(main)\n",
    "fire": 'import fire\nimport torch\ndef main(device="cuda", other: str = "cpu"):\n'
    + _TRAINS.format("device", "other")
    + "fire.Fire(main)\n",
    "fire, a class": "import fire\nimport torch\nclass Tool:\n"
    '    def __init__(self, device="cuda"):\n        self.where = device\n'
    '    def run(self, other="cpu"):\n    '
    + _TRAINS.format("self.where", "other").replace("\n", "\n    ")
    + "\nfire.Fire(Tool)\n",
    "typer": "import enum\nimport torch\nimport typer\nclass Device(str, enum.Enum):\n"
    '    cpu = "cpu"\n    cuda = "cuda"\napp = typer.Typer()\n@app.command()\n'
    'def main(device: Device = Device.cuda, other: str = typer.Option("cuda")):\n'
    + _TRAINS.format("device.value", "other")
    + "app()\n",
}


@pytest.mark.parametrize("text", _DECLARED.values(), ids=_DECLARED)
def test_options_that_other_parsers_declare_move(root: Path, tmp_path: Path, text: str) -> None:
    command = "python train.py --device {0} --other={0}\n"
    output, _ = migrated(root, {"train.py": text, "run.sh": command.format("cuda")}, tmp_path)
    assert (output / "run.sh").read_text() == command.format("npu")
    assert '"cuda"' not in (output / "train.py").read_text()


_SPREAD = {
    "options.py": """from dataclasses import dataclass, field


@dataclass
class Arguments:
    where: str = field(default="cuda", metadata={"choices": ["cpu", "cuda"]})
    how: str = "nccl"
    name: str = "cuda"
""",
    "train.py": """import torch
from transformers import HfArgumentParser

from options import Arguments

(args,) = HfArgumentParser(Arguments).parse_args_into_dataclasses()
torch.distributed.init_process_group(args.how)
torch.ones(2).to(args.where)
print(args.name)
""",
}


def test_options_that_fill_the_fields_of_another_module_move(root: Path, tmp_path: Path) -> None:
    command = "python train.py --where {} --how {} --name cuda\n"
    output, _ = migrated(root, {**_SPREAD, "run.sh": command.format("cuda", "nccl")}, tmp_path)
    assert (output / "run.sh").read_text() == command.format("npu", "hccl")


_BY_VARIABLE = """import click
import torch


@click.command()
@click.option("--device", "-d", default="cuda", type=click.Choice(["cpu", "cuda"]), envvar={})
@click.option("--name", envvar="RUN_NAME")
def main(device, name):
    torch.ones(2).to(device)
    print(name)


main()
"""


@pytest.mark.parametrize("named", ['"TRAIN_DEVICE"', '["OTHER", "TRAIN_DEVICE"]'])
def test_a_variable_moves_with_the_option_that_takes_it(root: Path, tmp_path: Path, named: str) -> None:
    files: dict[str, str | bytes] = {**_SCRIPTS, "more.sh": "RUN_NAME=cuda python train.py\n"}
    output, _ = migrated(root, {**files, "train.py": _BY_VARIABLE.replace("{}", named)}, tmp_path)
    written = {name: (output / name).read_text() for name in files}
    assert written == {
        **{name: text.replace("cuda", "npu") for name, text in _SCRIPTS.items()},
        "more.sh": files["more.sh"],
    }


def test_the_settings_of_a_group_move_with_what_gets_the_group(root: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "conf/config.yaml": "defaults:\n  - trainer: gpu\n",
        "conf/trainer/gpu.yaml": "where: cuda\nname: cuda\n",
        "lib.py": "import torch\ndef go(trainer):\n    torch.ones(1).to(trainer.where)\n"
        "    print(trainer.name)\n",
        "train.py": "import hydra\nfrom lib import go\n\n\n"
        '@hydra.main(config_path="conf", config_name="config")\ndef main(cfg):\n    go(cfg.trainer)\n',
    }
    output, _ = migrated(root, files, tmp_path)
    assert (output / "conf/trainer/gpu.yaml").read_text() == "where: npu\nname: cuda\n"


_DOTTED = _PARSER.replace('"--device"', '"--hw.device", dest="device"')


def test_dotted_options_move_wherever_they_are_joined_with_their_value(root: Path, tmp_path: Path) -> None:
    script = 'run() {\n    python train.py data "$@"\n}\nrun --hw.device=cuda\nA="--hw.device cuda"\n'
    script += "python train.py data $A\n"
    output, _ = migrated(root, {"train.py": _DOTTED, "run.sh": script}, tmp_path)
    assert (output / "run.sh").read_text() == script.replace("cuda", "npu")


_NET = """import torch


class Net(torch.nn.Module):
    def __init__(self, where="cpu", more=None):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2).to(where)
        torch.distributed.init_process_group(more["kind"])
"""
_INSTANTIATES = """import hydra


@hydra.main(config_path="conf", config_name="config")
def main(cfg):
    hydra.utils.instantiate(cfg.model)


main()
"""
_LOADS_TAGS = """from hyperpyyaml import load_hyperpyyaml

with open("run.yaml") as file:
    load_hyperpyyaml(file)
"""
_LIGHTNING = "from lightning.pytorch.cli import LightningCLI\n\nfrom net import Net\n\n"
_ARGUMENTS = "where: cuda\n{0}name: cuda\n{0}more:\n{0}  kind: nccl\n"
_MADE = {
    "by hydra": (_INSTANTIATES, "conf/config.yaml", "model:\n  _target_: net.Net\n  ", "  "),
    "by hydra, in a file of a group": (_INSTANTIATES, "conf/model/net.yaml", "_target_: net.Net\n", ""),
    "by hydra, in a list": (
        _INSTANTIATES,
        "conf/config.yaml",
        "models:\n  - _target_: net.Net\n    ",
        "    ",
    ),
    "by HyperPyYAML": (_LOADS_TAGS, "run.yaml", "model: !new:net.Net\n  ", "  "),
    "by Lightning": (f"{_LIGHTNING}LightningCLI(Net)\n", "config.yaml", "model:\n  ", "  "),
    "by Lightning, of a class that the file names": (
        f"{_LIGHTNING}LightningCLI()\n",
        "config.yaml",
        "model:\n  class_path: net.Net\n  init_args:\n    ",
        "    ",
    ),
}


@pytest.mark.parametrize(("program", "path", "head", "margin"), _MADE.values(), ids=_MADE)
def test_the_arguments_of_what_a_configuration_has_made_move(
    root: Path, tmp_path: Path, program: str, path: str, head: str, margin: str
) -> None:
    text = head + _ARGUMENTS.format(margin)
    output, _ = migrated(root, {"net.py": _NET, "train.py": program, path: text}, tmp_path)
    moved = text.replace("where: cuda", "where: npu").replace("kind: nccl", "kind: hccl")
    assert (output / path).read_text() == moved


def test_the_values_of_an_ini_file_move_with_the_code_that_reads_them(root: Path, tmp_path: Path) -> None:
    program = """import configparser
import torch

parser = configparser.ConfigParser()
parser.read("run.ini")
torch.ones(2).to(parser["run"]["where"])
torch.distributed.init_process_group(parser.get("run", "kind"))
"""
    text = "[run]\nwhere = cuda:0\nkind = nccl\nname = cuda\n"
    output, _ = migrated(root, {"train.py": program, "run.ini": text}, tmp_path)
    assert (output / "run.ini").read_text() == "[run]\nwhere = npu:0\nkind = hccl\nname = cuda\n"


_CHECKS = """import argparse
import json

import torch
import yaml

parser = argparse.ArgumentParser()
parser.add_argument("--where", default="cuda")
args = parser.parse_args()
assert args.where in yaml.safe_load(open("run.yaml"))["allowed"]
if args.where not in json.load(open("run.json"))["run"]["allowed"]:
    raise ValueError(args.where)
torch.ones(2).to(args.where)
"""


def test_a_list_that_code_tests_an_option_against_moves_with_it(root: Path, tmp_path: Path) -> None:
    listed = {
        "run.yaml": "allowed: [cpu, cuda]\nother:\n  - cuda\n",
        "run.json": '{"run": {"allowed": ["cuda", "cpu"]}}\n',
    }
    output, _ = migrated(root, {"train.py": _CHECKS, **listed}, tmp_path)
    assert (output / "train.py").read_text() == _CHECKS.replace("cuda", "npu").replace(
        "import torch\n", "import torch\nimport torch_npu\n"
    )
    assert (output / "run.yaml").read_text() == "allowed: [cpu, npu]\nother:\n  - cuda\n"
    assert (output / "run.json").read_text() == listed["run.json"].replace("cuda", "npu")


def test_what_configargparse_reads_moves_with_its_options(root: Path, tmp_path: Path) -> None:
    program = """import configargparse
import torch

parser = configargparse.ArgParser(default_config_files=["run.ini"])
parser.add("--where", default="cuda", choices=["cpu", "cuda"])
parser.add_arg("--kind", default="nccl")
args = parser.parse_args()
torch.ones(2).to(args.where)
torch.distributed.init_process_group(args.kind)
"""
    text, command = "where = cuda\nkind = nccl\n", "python train.py --where cuda --kind nccl\n"
    files = {"train.py": program, "run.ini": text, "run.sh": command}
    output, _ = migrated(root, files, tmp_path)
    for path, before in files.items():
        moved = before.replace("cuda", "npu").replace("nccl", "hccl")
        moved = moved.replace("import torch\n", "import torch\nimport torch_npu\n")
        assert (output / path).read_text() == moved


def test_a_value_comes_through_a_folder_of_packages(root: Path, tmp_path: Path) -> None:
    program = "import json\nfrom models.net.train import train\ntrain(json.load(open('run.json')))\n"
    train = "import torch\ndef train(h):\n    torch.distributed.init_process_group(h['kind'])\n"
    files = {
        "main.py": program,
        "models/net/__init__.py": "",
        "models/net/train.py": train,
        "run.json": '{"kind": "nccl"}\n',
    }
    output, _ = migrated(root, files, tmp_path)
    assert (output / "run.json").read_text() == '{"kind": "hccl"}\n'


_GIN = """\
Trainer.device = "cuda"
train/start.backend = 'nccl'
Trainer.name = "cuda"
"""
_CONFIGURED = """\
import gin
import torch
import torch.distributed as dist


@gin.configurable
class Trainer:
    def __init__(self, device="cpu", name=""):
        assert device in ("cpu", "cuda")
        self.model = torch.nn.Linear(2, 2).to(device)
        print(name)


@gin.configurable
def start(backend="gloo"):
    dist.init_process_group(backend)


gin.parse_config_file("train.gin")
"""


def test_what_gin_gives_a_parameter_moves_with_it(root: Path, tmp_path: Path) -> None:
    output, _ = migrated(root, {"train.gin": _GIN, "train.py": _CONFIGURED}, tmp_path)
    expected = _GIN.replace('device = "cuda"', 'device = "npu"').replace("nccl", "hccl")
    assert (output / "train.gin").read_text() == expected
    assert '("cpu", "cuda", "npu")' in (output / "train.py").read_text()
