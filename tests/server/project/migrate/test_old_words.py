"""The net: no command still gives an option the word that the option does not take any more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.server.project.conftest import migrated_files

SETUP = """import torch.distributed as dist

def setup(backend):
    assert backend in ["nccl", "gloo"]
    dist.init_process_group(backend)
"""
TRAIN = """import argparse
import groups

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="nccl", choices=["nccl", "gloo"])
args = parser.parse_args()
groups.setup(args.mode)
"""
FOLLOWED = {
    "a function that hands its arguments on": 'run() { python train.py "$@"; }\nrun --mode nccl\n',
    "a command in a variable": 'CMD="python train.py --mode nccl"\neval $CMD\n',
    "a text over two lines": 'bash -c "python train.py \\\n   --mode nccl"\n',
    "a launcher in a variable": 'launch="torchrun --nproc_per_node=8"\n$launch train.py --mode nccl\n',
    "a wrapped job": 'sbatch --wrap="python train.py --mode nccl"\n',
    "a script in a here-document": "cat > job.sh <<EOF\npython train.py --mode nccl\nEOF\n",
    "a script that is written": "echo python train.py --mode nccl > job.sh\n",
    "a script in a pipe": "echo python train.py --mode nccl | bash\n",
    "a command in what is printed": "echo $($RUN train.py --mode nccl)\n",
}
UNFOLLOWED = {
    "arguments in a file": "echo --mode nccl > arguments.txt\n",
    "a program that another one starts": "parallel ./start --mode nccl\n",
    "another command on the next line": "python train.py\n./start --mode nccl\n",
}


def migrated(tmp_path: Path, files: dict[str, str]) -> tuple[Path, list[str]]:
    done = migrated_files(tmp_path, {"groups.py": SETUP, "train.py": TRAIN, **files})
    return done.output, re.findall(r"NPU1013", done.log)


def test_a_variable_that_a_scheduler_sets_moves_with_the_code_that_reads_it(tmp_path: Path) -> None:
    train = "import os\nimport groups\ngroups.setup(os.environ.get('MODE', 'nccl'))\n"
    script = "#!/bin/bash\n# MODE=nccl\n#SBATCH --export=ALL,MODE={word}\npython train.py\n"
    output, _ = migrated(tmp_path, {"train.py": train, "job.sh": script.format(word="nccl")})
    assert (output / "job.sh").read_text() == script.format(word="hccl")


MADE = "MODE ?= nccl\ntrain:\n\tpython train.py --mode $(MODE)\n"


def test_what_a_command_gives_a_makefile_moves_with_it(tmp_path: Path) -> None:
    files = {
        "Makefile": f"{MADE}all:\n\t$(MAKE) train MODE=nccl\n",
        "ci.sh": "make train MODE=nccl\nmake other LOG=nccl\n",
    }
    output, left = migrated(tmp_path, files)
    assert (output / "Makefile").read_text() == files["Makefile"].replace("nccl", "hccl")
    assert (output / "ci.sh").read_text() == "make train MODE=hccl\nmake other LOG=nccl\n"
    assert left == []


def test_a_program_of_many_modules_takes_what_their_only_declaration_says(tmp_path: Path) -> None:
    many = {f"part{number}.py": "x = 1\n" for number in range(60)}
    imports = "".join(f"import part{number}\n" for number in range(60))
    start = {"start.py": f"{imports}import train\n", "run.sh": "python start.py --mode nccl\n"}
    output, left = migrated(tmp_path, {**many, **start})
    assert (output / "run.sh").read_text() == "python start.py --mode hccl\n"
    assert left == []


@pytest.mark.parametrize("script", FOLLOWED.values(), ids=FOLLOWED)
def test_what_gives_the_option_in_another_way_moves_with_it(tmp_path: Path, script: str) -> None:
    output, left = migrated(tmp_path, {"run.sh": script})
    assert (output / "run.sh").read_text() == script.replace("nccl", "hccl")
    assert left == []


@pytest.mark.parametrize("script", UNFOLLOWED.values(), ids=UNFOLLOWED)
def test_what_no_rule_can_follow_is_an_error_at_the_place(tmp_path: Path, script: str) -> None:
    output, left = migrated(tmp_path, {"run.sh": script})
    assert (output / "run.sh").read_text() == script
    assert len(left) == 1


def test_the_option_its_default_and_its_choices_and_the_command_move_together(tmp_path: Path) -> None:
    output, left = migrated(tmp_path, {"run.sh": "python train.py --mode nccl\n"})
    assert (output / "run.sh").read_text() == "python train.py --mode hccl\n"
    assert 'default="hccl", choices=["hccl", "gloo"]' in (output / "train.py").read_text()
    assert '["nccl", "hccl", "gloo"]' in (output / "groups.py").read_text()
    assert left == []


def test_another_option_with_the_old_word_is_left_alone(tmp_path: Path) -> None:
    output, left = migrated(tmp_path, {"run.sh": 'CMD="other --kind nccl"\neval $CMD\n# --mode nccl\n'})
    assert "hccl" not in (output / "run.sh").read_text()
    assert left == []


INPUTS = """import os
import click
import hydra
import yaml
import torch.distributed as dist

@click.command()
@click.option("--comm", default="nccl")
def tool(comm):
    dist.init_process_group(comm)

@hydra.main(config_path="conf", config_name="config")
def main(cfg):
    dist.init_process_group(cfg.group.kind)

dist.init_process_group(yaml.safe_load(open("a.yaml"))["kind"])
dist.init_process_group(os.environ.get("GROUP", "nccl"))
"""
GIVEN = {
    "an option of click": ("run.sh", "python inputs.py --comm nccl\n", True),
    "a text that xargs passes on": ("run.sh", "xargs python inputs.py --comm <<< nccl\n", True),
    "a word that xargs puts in": ("run.sh", "echo nccl | xargs -I{} python inputs.py --comm {}\n", False),
    "a word that xargs adds": ("run.sh", "echo nccl | xargs python inputs.py --comm\n", False),
    "a word that is formatted": ("run.sh", "printf -v A '--comm %s' nccl\npython inputs.py $A\n", False),
    "an override of hydra": ("run.sh", "python inputs.py +group.kind=nccl\n", True),
    "an override in a makefile": ("Makefile", "all:\n\tpython inputs.py group.kind=nccl\n", True),
    "a variable of the environment": ("run.sh", "GROUP=nccl python inputs.py\n", True),
    "a variable that the script tests": (
        "run.sh",
        "GROUP=nccl\n[ $GROUP = nccl ] && python inputs.py\n",
        False,
    ),
    "a variable of an image": ("Dockerfile", "FROM python\nENV GROUP nccl\nCMD python inputs.py\n", True),
    "an editor's launch": ("launch.json", '{"program": "inputs.py",\n "args": ["--comm", "nccl"]}\n', True),
    "the arguments of a pod": ("job.yaml", "args:\n- --comm\n- nccl\n", False),
    "the environment of a pod": ("job.yaml", "env:\n- name: GROUP\n  value: nccl\n", True),
    "a configuration in a here-document": ("run.sh", "cat > a.yaml <<EOF\nkind: nccl\nEOF\n", False),
    "a configuration that is printed": ("run.sh", 'echo \'{"kind": "nccl"}\' > a.json\n', False),
    "a key in a message": ("run.sh", "echo kind: nccl\n", None),
    "a sweep": ("sweep.yaml", "program: inputs.py\nparameters:\n  comm:\n    value: nccl\n", True),
    "a command of a script": ("go.py", "import os\nos.system('python inputs.py group.kind=nccl')\n", True),
    "a variable that code sets": ("go.py", "import os\nos.environ['GROUP'] = 'nccl'\n", True),
    "the environment of a process": ("go.py", "run(cmd, env={**os.environ, 'GROUP': 'nccl'})\n", True),
    "a table of other words": ("go.py", "names = {'GROUP': 'nccl'}\nshow(names)\n", None),
    "a command that is put together": ("go.py", "cmd = start()\ncmd += ['--comm', 'nccl']\n", False),
}


@pytest.mark.parametrize(("name", "text", "is_edited"), GIVEN.values(), ids=GIVEN)
def test_what_gives_an_input_its_old_word_is_edited_or_an_error(
    tmp_path: Path, name: str, text: str, is_edited: bool | None
) -> None:
    files = {"inputs.py": INPUTS, "conf/config.yaml": "group:\n  kind: nccl\n", name: text}
    output, _ = migrated(tmp_path, files)
    errors = re.findall(rf"ERROR +{re.escape(name)}:", (output / "msFmkTranspltlog.txt").read_text())
    is_left = "nccl" in (output / name).read_text()
    assert (is_left, bool(errors)) == (not is_edited, is_edited is False)


def test_a_program_with_an_option_of_the_same_name_keeps_its_word(tmp_path: Path) -> None:
    plot = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--mode', choices=['nccl', 'x'])\n"
    script = "python train.py --mode nccl\nssh node 'python plot.py --mode nccl'\n"
    output, left = migrated(tmp_path, {"plot.py": plot, "run.sh": script})
    assert (output / "run.sh").read_text() == script.replace("train.py --mode nccl", "train.py --mode hccl")
    assert not left


DATACLASSES = """\
from dataclasses import dataclass
import torch.distributed as dist
import tyro


@dataclass
class Dist:
    backend: str = "nccl"


@dataclass
class Args:
    dist: Dist


dist.init_process_group(tyro.cli(Args).dist.backend)
"""


def test_the_option_of_a_field_of_a_field_moves_with_it(tmp_path: Path) -> None:
    script = "python start.py --dist.backend nccl\npython start.py --log.name nccl\n"
    output, left = migrated(tmp_path, {"start.py": DATACLASSES, "run.sh": script})
    assert 'backend: str = "hccl"' in (output / "start.py").read_text()
    assert (output / "run.sh").read_text() == script.replace("backend nccl", "backend hccl")
    assert left == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "MODE := nccl\nFLAGS = --mode $(MODE)\ntrain:\n\tpython train.py $(FLAGS)\n"),
        ("run.sh", "printf -v M '%s' nccl\npython train.py --mode $M\n"),
        ("run.sh", "read -r M <<< nccl\npython train.py --mode $M\n"),
        ("run.sh", "declare -A M=([a]=nccl [b]=gloo)\npython train.py --mode ${M[a]}\n"),
        ("run.sh", "declare -A M\nM[a]=nccl\npython train.py --mode ${M[a]}\n"),
        (
            "run.sh",
            'declare -A M=([mode]=nccl)\nfor k in mode; do A+=("--$k" ${M[$k]}); done\n'
            "python train.py ${A[@]}\n",
        ),
        (
            "run.sh",
            'declare -A O=([name]=nccl)\npython train.py --$k "${O[$k]}"\n'
            "printf -v name '%s' nccl\npython train.py --mode $name\n",
        ),
        ("run.sh", "MODES=(nccl gloo)\npython train.py --mode ${MODES[0]}\n"),
    ],
)
def test_what_a_variable_still_gives_an_option_is_told(tmp_path: Path, name: str, text: str) -> None:
    _, left = migrated(tmp_path, {name: text})
    assert len(left) == 1


@pytest.mark.parametrize("named", ["@args.txt", "--flagfile=args.txt", "--flagfile args.txt"])
@pytest.mark.parametrize("given", ["--mode nccl\n", "--mode=nccl\n--lr=1\n", "--lr\n1\n--mode\nnccl\n"])
def test_what_a_file_of_arguments_gives_an_option_is_told_at_the_command(
    tmp_path: Path, named: str, given: str
) -> None:
    _, left = migrated(tmp_path, {"args.txt": given, "run.sh": f"python train.py {named}\n"})
    assert len(left) == 1


def test_a_file_of_arguments_that_gives_another_word_is_not_told(tmp_path: Path) -> None:
    _, left = migrated(
        tmp_path, {"args.txt": "--mode gloo --log nccl\n", "run.sh": "python train.py @args.txt\n"}
    )
    assert left == []


def test_what_another_variable_is_set_to_is_not(tmp_path: Path) -> None:
    text = "LOG=(nccl gloo)\nMODES=(gloo)\npython train.py --mode ${MODES[0]} --log $LOG\n"
    _, left = migrated(tmp_path, {"run.sh": text})
    assert left == []


YACS = """\
import torch.distributed as dist
from yacs.config import CfgNode as CN

_C = CN()
_C.DIST = CN()
_C.DIST.BACKEND = "nccl"
_C.NAME = "nccl"
"""
WITH_YACS = """\
import sys
import torch.distributed as dist
from defaults import _C
from checks import check

cfg = _C.clone()
cfg.merge_from_list(sys.argv[1:])
check(cfg)
dist.init_process_group(cfg.DIST.BACKEND)
print(cfg.NAME)
"""


def test_keys_that_a_command_gives_yacs_move_with_the_defaults(tmp_path: Path) -> None:
    check = 'def check(cfg):\n    assert cfg.DIST.BACKEND in ("nccl", "gloo")\n'
    script = "python start.py DIST.BACKEND nccl NAME nccl\n"
    files = {"defaults.py": YACS, "start.py": WITH_YACS, "checks.py": check, "run.sh": script}
    output, left = migrated(tmp_path, files)
    assert (output / "defaults.py").read_text() == YACS.replace('BACKEND = "nccl"', 'BACKEND = "hccl"')
    assert (output / "checks.py").read_text() == check.replace('"nccl"', '"nccl", "hccl"')
    assert (output / "run.sh").read_text() == script.replace("BACKEND nccl", "BACKEND hccl")
    assert left == []


def test_a_file_that_yacs_merges_moves_with_the_defaults(tmp_path: Path) -> None:
    start = (
        "import torch\nfrom defaults import _C\n\n\nclass Run:\n    def __init__(self, given):\n"
        "        self.given = given\n\n    def start(self):\n"
        "        return torch.device(self.given['where'])\n\n\n"
        "cfg = _C.clone()\ncfg.merge_from_file('run.yaml')\nRun({'where': cfg.DIST.WHERE}).start()\n"
    )
    defaults = YACS + '_C.DIST.WHERE = "cuda"\n'
    setting = "DIST:\n  WHERE: cuda\n  LABEL: cuda\n"
    files = {"defaults.py": defaults, "start.py": start, "run.yaml": setting}
    output, left = migrated(tmp_path, files)
    assert '_C.DIST.WHERE = "npu"' in (output / "defaults.py").read_text()
    assert (output / "run.yaml").read_text() == setting.replace("WHERE: cuda", "WHERE: npu")
    assert left == []
