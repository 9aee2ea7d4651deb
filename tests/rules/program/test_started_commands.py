"""A word that a command gives to an option of the project's program is decided with that option."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

PROGRAM = (
    "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--d', default='cuda!')\n"
    "torch.ones(2).to(p.parse_args().d)\n"
)
STARTS: dict[str, str] = {
    "in a formatted text": "import os\nx = 'cuda!'\nos.system(f'python train.py --d {x}')\n",
    "by format": "import os\nRUN = 'python train.py --d={}'\n"
    "for x in ('cuda!', 'cpu'):\n    os.system(RUN.format(x))\n",
    "by percent": "import os\nos.system('python train.py --d %s' % 'cuda!')\n",
    "by percent among others": "import os\ndef go(x):\n"
    "    os.system('python train.py --d %s --name %s' % (x, 'cuda'))\ngo('cuda!')\n",
    "in a sum": "import os\nos.system('python train.py --d ' + 'cuda!:' + str(i))\n",
    "in a list": "import subprocess\ndef go(x='cuda!'):\n"
    "    subprocess.run(['python', 'train.py', '--d', x])\n",
    "in a list that grows": "import subprocess\nx = 'cuda!'\nrun = ['python', 'train.py']\n"
    "run += [f'--d={x}']\n",
    "of a script that is written": "JOB = '#!/bin/bash\\npython train.py --d {d} --name {n}\\n'\n"
    "open('job.sh', 'w').write(JOB.format(d='cuda!', n='cuda'))\n",
    "by a task": "from invoke import task\n@task\ndef go(c, x='cuda!'):\n"
    "    c.run(f'python train.py --d {x}')\n",
}
OTHERS: dict[str, str] = {
    "of another program": "import os\nx = 'cuda'\nos.system(f'python other.py --d {x}')\n",
    "as another option": "import os\nx = 'cuda'\nos.system(f'python train.py --name {x}')\n",
    "as another option by percent": "import os\nx = 'cuda'\n"
    "os.system('python train.py --d %s --name %s' % (d, x))\n",
    "in a message": "x = 'cuda'\nprint(f'on {x}')\n",
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_it_moves_with_the_option(start: str, tmp_path: Path) -> None:
    files = {"train.py": PROGRAM, "start.py": start}
    assert decided(files, tmp_path) == files


def test_it_moves_with_a_parameter_that_fire_fills(tmp_path: Path) -> None:
    program = (
        "import fire, torch\ndef go(d='cpu', name='cuda'):\n    torch.ones(2).to(d)\n"
        "    if d == 'cuda!':\n        pass\nfire.Fire(go)\n"
    )
    files = {"train.py": program, "start.py": STARTS["in a formatted text"]}
    assert decided(files, tmp_path) == files


def test_it_moves_with_a_flag_of_absl(tmp_path: Path) -> None:
    program = (
        "from absl import flags\nimport torch\nF = flags.FLAGS\n"
        "flags.DEFINE_enum('d', 'cpu', ['cpu', 'cuda!'], '')\ntorch.ones(2).to(F.d)\n"
    )
    files = {"train.py": program, "start.py": STARTS["in a formatted text"]}
    assert decided(files, tmp_path) == files


@pytest.mark.parametrize("start", OTHERS.values(), ids=OTHERS)
def test_another_is_not_decided(start: str, tmp_path: Path) -> None:
    files = {"train.py": PROGRAM.replace("cuda!", "cuda"), "start.py": start}
    assert decided(files, tmp_path)["start.py"] == start
