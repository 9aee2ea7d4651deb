"""The default and the choices of an option are decided with the reads of its value in all files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

OPTION = "p.add_argument('--where', default='cuda!', choices=['cpu', 'cuda!'])\n"
PROJECTS: dict[str, dict[str, str]] = {
    "in one file": {
        "train.py": "import argparse, torch\np = argparse.ArgumentParser()\n"
        + OPTION
        + "args = p.parse_args()\nx.to(args.where)\nif args.where == 'cuda!':\n    pass\n"
    },
    "through a variable for the method": {
        "train.py": "import argparse, torch\np = argparse.ArgumentParser()\nadd = p.add_argument\n"
        + OPTION.replace("p.add_argument", "add")
        + "args = p.parse_args()\nx.to(args.where)\nif args.where == 'cuda!':\n    pass\n"
    },
    "with a function that checks it": {
        "train.py": "import argparse, re, torch\ndef place(s):\n"
        "    if not re.fullmatch('cuda!|cpu', s):\n        raise ValueError(s)\n    return s\n"
        "p = argparse.ArgumentParser()\np.add_argument('--where', type=place, default='cuda!')\n"
        "x.to(p.parse_args().where)\n"
    },
    "that nothing but a test reads": {
        "train.py": "import argparse, torch\np = argparse.ArgumentParser()\n"
        "p.add_argument('--gpu_type', default='cuda=')\na = p.parse_args()\n"
        "if a.gpu_type == 'cuda=':\n    pass\n"
    },
    "of a parser that another module makes": {
        "opts.py": "import argparse\ndef get_parser():\n    p = argparse.ArgumentParser()\n    "
        + OPTION
        + "    return p\n",
        "train.py": "import torch\nfrom opts import get_parser\nargs = get_parser().parse_args()\n"
        "x.to(args.where)\n",
    },
    "added by another module": {
        "opts.py": "def add_args(p):\n    " + OPTION,
        "train.py": "import argparse, torch\nfrom opts import add_args\np = argparse.ArgumentParser()\n"
        "add_args(p)\n"
        "args = p.parse_args()\nx.to(args.where)\n",
    },
    "parsed by another module": {
        "opts.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n    "
        + OPTION
        + "    return p.parse_args()\n",
        "train.py": "import torch\nfrom opts import get_args\nargs = get_args()\nx.to(args.where)\n",
    },
    "of a group": {
        "opts.py": "import argparse\ndef get_args():\n    q = argparse.ArgumentParser()\n"
        "    p = q.add_argument_group('g')\n    " + OPTION + "    return q.parse_args()\n",
        "train.py": "import torch\nfrom opts import get_args\nargs = get_args()\nx.to(args.where)\n",
    },
    "parsed with what is not known": {
        "opts.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n    "
        + OPTION
        + "    args, rest = p.parse_known_args()\n    return args\n",
        "train.py": "import torch\nfrom opts import get_args\nargs = get_args()\nx.to(args.where)\n",
    },
    "the arguments passed on": {
        "work.py": "import torch\ndef work(args, x):\n    if args.where == 'cuda!':\n"
        "        x.to(args.where)\n",
        "train.py": "import argparse\nfrom work import work\np = argparse.ArgumentParser()\n"
        + OPTION
        + "work(p.parse_args(), x)\n",
    },
    "the arguments kept by an object": {
        "work.py": "import torch\nclass Work:\n    def __init__(self, args):\n        self.args = args\n"
        "    def run(self, x):\n        x.to(self.args.where)\n",
        "train.py": "import argparse\nfrom work import Work\np = argparse.ArgumentParser()\n"
        + OPTION
        + "Work(p.parse_args()).run(x)\n",
    },
    "the arguments as a dictionary": {
        "work.py": "import torch\ndef work(cfg, x):\n    x.to(cfg['where'])\n",
        "train.py": "import argparse\nfrom work import work\np = argparse.ArgumentParser()\n"
        + OPTION
        + "args = p.parse_args()\nwork(vars(args), x)\n",
    },
    "the arguments as keywords": {
        "work.py": "import torch\ndef work(x, where=None, **rest):\n    x.to(where)\n",
        "train.py": "import argparse\nfrom work import work\np = argparse.ArgumentParser()\n"
        + OPTION
        + "args = p.parse_args()\nwork(x, **vars(args))\n",
    },
    "an argument given to a class": {
        "work.py": "import torch\nclass Work:\n    def __init__(self, where):\n"
        "        self.where = torch.device(where)\n",
        "train.py": "import argparse\nfrom work import Work\np = argparse.ArgumentParser()\n"
        + OPTION
        + "args = p.parse_args()\nWork(args.where)\n",
    },
    "the choices are a constant of another module": {
        "c.py": "PLACES = ['cpu', 'cuda!']\n",
        "train.py": "import argparse, torch\nfrom c import PLACES\np = argparse.ArgumentParser()\n"
        "p.add_argument('--where', default='cuda!', choices=PLACES)\nargs = p.parse_args()\n"
        "x.to(args.where)\n",
    },
    "the default is a constant of another module": {
        "c.py": "PLACE = 'cuda!'\n",
        "train.py": "import argparse, torch\nfrom c import PLACE\np = argparse.ArgumentParser()\n"
        "p.add_argument('--where', default=PLACE)\nargs = p.parse_args()\nx.to(args.where)\n",
    },
    "preset": {
        "opts.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--where')\n"
        "    p.set_defaults(where='cuda!')\n    return p.parse_args()\n",
        "train.py": "import torch\nfrom opts import get_args\nargs = get_args()\nx.to(args.where)\n",
    },
    "its dest": {
        "opts.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--on', dest='where', default='cuda!')\n    return p.parse_args()\n",
        "train.py": "import torch\nfrom opts import get_args\nargs = get_args()\nx.to(args.where)\n",
    },
    "of click": {
        "work.py": "import torch\ndef work(x, dev):\n    x.to(dev)\n",
        "train.py": "import click\nfrom work import work\n@click.command()\n"
        "@click.option('--where', default='cuda!', type=click.Choice(['cpu', 'cuda!']))\n"
        "def main(where):\n    work(x, where)\n",
    },
    "of click, which a function takes among all": {
        "work.py": "import torch\ndef work(x, where):\n    x.to(where)\n",
        "train.py": "import click\nfrom work import work\n@click.command()\n"
        "@click.option('--where', default='cuda!', type=click.Choice(['cpu', 'cuda!']))\n"
        "def main(**given):\n    work(x, **given)\n",
    },
    "of typer": {
        "work.py": "import torch\ndef work(x, dev):\n    x.to(dev)\n",
        "train.py": "import typer\nfrom work import work\n"
        "def main(where: str = typer.Option('cuda!', help='place')):\n    work(x, where)\n",
    },
    "of absl": {
        "work.py": "import torch\ndef work(x, dev):\n    x.to(dev)\n",
        "train.py": "from absl import flags\nfrom work import work\nFLAGS = flags.FLAGS\n"
        "flags.DEFINE_enum('where', 'cuda!', ['cpu', 'cuda!'], 'place')\nwork(x, FLAGS.where)\n",
    },
    "of absl, read by another module": {
        "opts.py": "from absl import flags\nFLAGS = flags.FLAGS\n"
        "flags.DEFINE_string('where', 'cuda!', 'place')\n",
        "train.py": "import torch\nfrom absl import flags\nimport opts\nFLAGS = flags.FLAGS\n"
        "x.to(FLAGS.where)\n",
    },
    "of absl, held by a constant": {
        "opts.py": "from absl import flags\nWHERE = flags.DEFINE_string('where', 'cuda!', 'place')\n",
        "train.py": "import torch\nfrom opts import WHERE\nx.to(WHERE.value)\n",
    },
    "of fire": {
        "work.py": "import torch\ndef work(x, dev):\n    x.to(dev)\n",
        "train.py": "import fire\nfrom work import work\ndef main(where='cuda!'):\n    work(x, where)\n"
        "fire.Fire(main)\n",
    },
    "of OmegaConf": {
        "c.py": "from omegaconf import OmegaConf\ncfg = OmegaConf.create({'run': {'where': 'cuda!'}})\n",
        "train.py": "import torch\nfrom c import cfg\nx.to(cfg.run.where)\n",
    },
    "of a container": {
        "c.py": "from easydict import EasyDict\ncfg = EasyDict()\ncfg.where = 'cuda!'\n",
        "train.py": "import torch\nfrom c import cfg\nx.to(cfg.where)\n",
    },
    "another option of the parser": {
        "opts.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--label', default='cuda')\n    " + OPTION + "    return p.parse_args()\n",
        "train.py": "import torch\nfrom opts import get_args\nargs = get_args()\nx.to(args.where)\n"
        "print(args.label)\n",
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_an_option_is_decided_by_the_reads_of_its_value(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files
