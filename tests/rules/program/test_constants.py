"""A word that a module or a class keeps is decided with its readers in all files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

CONSTANT = "WHERE = 'cuda!'\n"
PROJECTS: dict[str, dict[str, str]] = {
    "from a module": {"c.py": CONSTANT, "train.py": "import torch\nfrom c import WHERE\nx.to(WHERE)\n"},
    "of a module": {"c.py": CONSTANT, "train.py": "import torch\nimport c\nx.to(c.WHERE)\n"},
    "by another name": {"c.py": CONSTANT, "train.py": "import torch\nfrom c import WHERE as W\nx.to(W)\n"},
    "of a package by another name": {
        "a/__init__.py": "",
        "a/c.py": CONSTANT,
        "train.py": "import torch\nimport a.c as k\nx.to(k.WHERE)\n",
    },
    "of a package by its whole name": {
        "a/__init__.py": "",
        "a/c.py": CONSTANT,
        "train.py": "import torch\nimport a.c\nx.to(a.c.WHERE)\n",
    },
    "of a module of a package": {
        "a/__init__.py": "",
        "a/c.py": CONSTANT,
        "train.py": "import torch\nfrom a import c\nx.to(c.WHERE)\n",
    },
    "of a neighbour": {
        "a/__init__.py": "",
        "a/c.py": CONSTANT,
        "a/train.py": "import torch\nfrom . import c\nx.to(c.WHERE)\n",
    },
    "of the package above": {
        "a/__init__.py": "",
        "a/c.py": CONSTANT,
        "a/b/__init__.py": "",
        "a/b/train.py": "import torch\nfrom ..c import WHERE\nx.to(WHERE)\n",
    },
    "by a star": {"c.py": CONSTANT, "train.py": "import torch\nfrom c import *\nx.to(WHERE)\n"},
    "passed on": {
        "a/__init__.py": "from .c import WHERE\n",
        "a/c.py": CONSTANT,
        "train.py": "import torch\nfrom a import WHERE\nx.to(WHERE)\n",
    },
    "passed on by another name": {
        "a/__init__.py": "from .c import WHERE as PLACE\n",
        "a/c.py": CONSTANT,
        "train.py": "import torch\nfrom a import PLACE\nx.to(PLACE)\n",
    },
    "passed on by a star": {
        "a/__init__.py": "from .c import *\n",
        "a/c.py": CONSTANT,
        "train.py": "import torch\nimport a\nx.to(a.WHERE)\n",
    },
    "an alias of another module's": {
        "c.py": CONSTANT,
        "b.py": "from c import WHERE\nPLACE = WHERE\n",
        "train.py": "import torch\nfrom b import PLACE\nx.to(PLACE)\n",
    },
    "changed by another module": {
        "c.py": "where = 'cpu'\ndef put(x):\n    return x.to(where)\n",
        "train.py": "import torch\nimport c\nc.where = 'cuda!'\n",
    },
    "changed by a function": {
        "c.py": "import torch\nwhere = None\ndef use(x):\n    global where\n    where = 'cuda!'\n"
        "def put(x):\n"
        "    return x.to(where)\nok = where == 'cuda!'\n"
    },
    "that a test knows": {
        "c.py": CONSTANT,
        "train.py": "import torch\nfrom c import WHERE\ndef run(x, dev='cuda!'):\n    x.to(dev)\n"
        "    if dev == WHERE:\n        pass\n",
    },
    "of a class": {
        "c.py": "class Config:\n    where = 'cuda!'\n",
        "train.py": "import torch\nfrom c import Config\nx.to(Config.where)\n",
    },
    "of a class, read by an object": {
        "c.py": "class Config:\n    where = 'cuda!'\n",
        "train.py": "import torch\nfrom c import Config\ncfg = Config()\nx.to(cfg.where)\n",
    },
    "of a class, read by a class below in another module": {
        "c.py": "class Base:\n    where = 'cuda!'\n",
        "train.py": "import torch\nfrom c import Base\nclass Net(Base):\n    def run(self, x):\n"
        "        return x.to(self.where)\n",
    },
    "of an object, read by a class below in another module": {
        "c.py": "class Base:\n    def __init__(self):\n        self.where = 'cuda!'\n",
        "train.py": "import torch\nfrom c import Base\nclass Net(Base):\n    def run(self, x):\n"
        "        return x.to(self.where)\n",
    },
    "of an object, set by a class below and read by the base": {
        "c.py": "import torch\nclass Base:\n    def run(self, x):\n        return x.to(self.where)\n",
        "train.py": "from c import Base\nclass Net(Base):\n    def __init__(self):\n"
        "        self.where = 'cuda!'\n",
    },
    "of an object, set from outside": {
        "c.py": "import torch\nclass Net:\n    def __init__(self):\n        self.where = 'cpu'\n"
        "    def run(self, x):\n        return x.to(self.where)\n",
        "train.py": "from c import Net\nnet = Net()\nnet.where = 'cuda!'\n",
    },
    "in a dictionary": {
        "c.py": "CFG = {'where': 'cuda!', 'label': 'cuda'}\n",
        "train.py": "import torch\nfrom c import CFG\nx.to(CFG['where'])\nprint(CFG['label'])\n",
    },
    "in a dictionary of dictionaries": {
        "c.py": "CFG = {'run': {'where': 'cuda!'}, 'log': {'where': 'cuda'}}\n",
        "train.py": "import torch\nfrom c import CFG\nx.to(CFG['run']['where'])\n"
        "print(CFG['log']['where'])\n",
    },
    "in a dictionary, taken by get": {
        "c.py": "CFG = {'where': 'cuda!'}\n",
        "train.py": "import torch\nfrom c import CFG\nx.to(CFG.get('where', 'cpu'))\n",
    },
    "in a dictionary that a function fills": {
        "c.py": "def config():\n    cfg = {}\n    cfg['where'] = 'cuda!'\n    return cfg\n",
        "train.py": "import torch\nfrom c import config\nx.to(config()['where'])\n",
    },
    "in a list that is looped over": {
        "c.py": "ALL = ['cpu', 'cuda!']\n",
        "train.py": "import torch\nfrom c import ALL\nfor dev in ALL:\n    x.to(dev)\n",
    },
    "in a list by its place": {
        "c.py": "ALL = ('cpu', 'cuda!')\n",
        "train.py": "import torch\nfrom c import ALL\nx.to(ALL[1])\n",
    },
    "an enumeration's": {
        "c.py": "import enum\nclass Place(enum.Enum):\n    CPU = 'cpu'\n    GPU = 'cuda!'\n",
        "train.py": "import torch\nfrom c import Place\nx.to(Place.GPU.value)\n",
    },
    "an enumeration of strings'": {
        "c.py": "import enum\nclass Place(str, enum.Enum):\n    CPU = 'cpu'\n    GPU = 'cuda!'\n",
        "train.py": "import torch\nfrom c import Place\nx.to(Place.GPU)\n",
    },
    "read by no one": {"c.py": "WHERE = 'cuda'\n", "train.py": "import c\n"},
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_a_constant_is_decided_by_its_readers(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files
