"""A word that is passed to a function of another module is decided with what the function does with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, decided

USED = "import torch\n"
PROJECTS: dict[str, dict[str, str]] = {
    "of an object that is called": {
        "lib.py": "import torch\nclass Put:\n    def __call__(self, x, where):\n"
        "        assert where in ('cpu', 'cuda+')\n        return x.to(where)\n",
        "train.py": "from lib import Put\nput = Put()\nput(x, 'cuda!')\nprint(put, 'cuda')\n",
    },
    "of a module of torch that is called": {
        "lib.py": "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x, where):\n"
        "        assert where in ('cpu', 'cuda+')\n        return x.to(where)\n",
        "train.py": "from lib import Net\nnet = Net()\nnet(x, where='cuda!')\n",
    },
    "which is tested there for how it begins": {
        "lib.py": "def on_gpu(where):\n    return where.startswith('cuda!')\n"
        "def on_any(where):\n    return where.startswith(('cuda!', 'hip'))\n"
        "def is_path(where):\n    return where.startswith('cuda')\n",
        "train.py": "import torch\nfrom lib import is_path, on_any, on_gpu\nd = torch.device('cuda!')\n"
        "if on_gpu(str(d)) or on_any(str(d)):\n    x.to(d)\nis_path(a.name)\n",
    },
    "by position": {
        "lib.py": USED + "def put(x, where):\n    return x.to(torch.device(where))\n",
        "train.py": "from lib import put\nput(x, 'cuda!')\n",
    },
    "by keyword": {
        "lib.py": USED + "def put(x, where):\n    return x.to(torch.device(where))\n",
        "train.py": "from lib import put\nput(x, where='cuda!')\n",
    },
    "by keyword alone": {
        "lib.py": USED + "def put(x, *, where):\n    return x.to(torch.device(where))\n",
        "train.py": "from lib import put\nput(x, where='cuda!')\n",
    },
    "of a module": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "import lib\nlib.put(x, 'cuda!')\n",
    },
    "of a module of a package by another name": {
        "a/__init__.py": "",
        "a/b.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "import a.b as c\nc.put(x, 'cuda!')\n",
    },
    "of a module of a package by its whole name": {
        "a/__init__.py": "",
        "a/b.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "import a.b\na.b.put(x, 'cuda!')\n",
    },
    "by another name": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from lib import put as place\nplace(x, 'cuda!')\n",
    },
    "by a star import": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from lib import *\nput(x, 'cuda!')\n",
    },
    "by a relative import": {
        "p/__init__.py": "",
        "p/lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "p/train.py": "from .lib import put\nput(x, 'cuda!')\n",
    },
    "passed on by a package": {
        "p/__init__.py": "from .lib import put\n",
        "p/lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from p import put\nput(x, 'cuda!')\n",
    },
    "unpacked from a tuple": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from lib import put\nput(*(x, 'cuda!'))\n",
    },
    "unpacked from a list behind another argument": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from lib import put\nrest = ['cuda!']\nput(x, *rest)\n",
    },
    "unpacked from a dictionary": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from lib import put\nput(x, **{'where': 'cuda!'})\n",
    },
    "unpacked from a dictionary with a name": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from lib import put\nkw = dict(where='cuda!')\nput(x, **kw)\n",
    },
    "taken by ** and read by a key": {
        "lib.py": USED + "def put(x, **kw):\n    return torch.device(kw['where'])\n",
        "train.py": "from lib import put\nput(x, where='cuda!')\n",
    },
    "taken by ** and passed on": {
        "low.py": USED + "def low(x, where):\n    return torch.device(where)\n",
        "lib.py": "from low import low\ndef put(x, **kw):\n    return low(x, **kw)\n",
        "train.py": "from lib import put\nput(x, where='cuda!')\n",
    },
    "taken by * and read by an index": {
        "lib.py": USED + "def put(x, *rest):\n    return torch.device(rest[0])\n",
        "train.py": "from lib import put\nput(x, 'cuda!')\n",
    },
    "taken by * and passed on": {
        "low.py": USED + "def low(x, where):\n    return torch.device(where)\n",
        "lib.py": "from low import low\ndef put(*rest):\n    return low(*rest)\n",
        "train.py": "from lib import put\nput(x, 'cuda!')\n",
    },
    "by partial": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from functools import partial\nfrom lib import put\n"
        "f = partial(put, where='cuda!')\nf(x)\n",
    },
    "to a name that partial made": {
        "lib.py": USED + "def put(x, where, n=0):\n    return torch.device(where)\n",
        "train.py": "from functools import partial\nfrom lib import put\nf = partial(put, n=2)\n"
        "f(x, 'cuda!')\n",
    },
    "by position to a name that partial filled in part": {
        "lib.py": USED + "def put(x, where, n=0):\n    return torch.device(where)\n",
        "train.py": "from functools import partial\nfrom lib import put\nf = partial(put, 0)\nf('cuda!')\n",
    },
    "a default that another module passes by": {
        "lib.py": USED + "def put(x, where='cuda!'):\n    if where == 'cuda!':\n"
        "        return torch.device(where)\n",
        "train.py": "from lib import put\nput(x, 'cuda!')\n",
    },
    "a class": {
        "lib.py": USED + "class Net:\n    def __init__(self, where):\n        self.where = where\n"
        "    def run(self, x):\n        return torch.device(self.where)\n",
        "train.py": "from lib import Net\nNet('cuda!').run(x)\n",
    },
    "a class, its constructor inherited from another module": {
        "base.py": USED
        + "class Base:\n    def __init__(self, where):\n        self.where = torch.device(where)\n",
        "lib.py": "from base import Base\nclass Net(Base):\n    pass\n",
        "train.py": "from lib import Net\nNet('cuda!')\n",
    },
    "a class that passes it to its base": {
        "base.py": USED
        + "class Base:\n    def __init__(self, where):\n        self.where = torch.device(where)\n",
        "lib.py": "from base import Base\nclass Net(Base):\n    def __init__(self, n, where):\n"
        "        super().__init__(where)\n",
        "train.py": "from lib import Net\nNet(3, 'cuda!')\n",
    },
    "a method": {
        "lib.py": USED + "class Net:\n    def put(self, where):\n        return torch.device(where)\n",
        "train.py": "from lib import Net\nnet = Net()\nnet.put('cuda!')\n",
    },
    "a method of an object that a parameter is annotated as": {
        "lib.py": USED + "class Net:\n    def put(self, where):\n        return torch.device(where)\n",
        "train.py": "from lib import Net\ndef run(net: Net):\n    net.put('cuda!')\n",
    },
    "a static method and one of the class": {
        "lib.py": USED
        + "class Net:\n    @staticmethod\n    def put(where):\n        return torch.device(where)\n"
        "    @classmethod\n    def make(cls, where):\n        return torch.device(where)\n",
        "train.py": "from lib import Net\nNet.put('cuda!')\nNet.make('cuda!')\n",
    },
    "a function through a thread": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "from threading import Thread\nfrom lib import put\n"
        "Thread(target=put, args=(1, 'cuda!')).start()\n",
    },
    "processes that spawn starts": {
        "lib.py": USED + "def work(rank, where):\n    return torch.device(where)\n",
        "train.py": "import torch.multiprocessing as mp\nfrom lib import work\n"
        "mp.spawn(work, args=('cuda!',), nprocs=2)\n",
    },
    "three functions in three modules": {
        "c.py": USED + "def third(v):\n    return torch.device(v)\n",
        "b.py": "import c\ndef second(u):\n    return c.third(u)\n",
        "a.py": "from b import second\ndef first(t):\n    return second(t)\n",
        "train.py": "from a import first\nfirst('cuda!')\n",
    },
    "one that is imported where it is called": {
        "lib.py": USED + "def put(x, where):\n    return torch.device(where)\n",
        "train.py": "def main():\n    from lib import put\n    put(x, 'cuda!')\n",
    },
    "one that a decorator wraps": {
        "lib.py": USED + "@torch.no_grad()\ndef put(x, where):\n    return torch.device(where)\n",
        "train.py": "from lib import put\nput(x, 'cuda!')\n",
    },
    "one that is called by itself too": {
        "lib.py": USED + "def put(x, where):\n    put(x[1:], where)\n    return torch.device(where)\n",
        "train.py": "from lib import put\nput(x, 'cuda!')\n",
    },
    "one that calls itself at many places": {
        "lib.py": USED
        + "def put(x, where):\n"
        + "".join(f"    put(x[{place}], where)\n" for place in range(9))
        + "    return torch.device(where)\n",
        "train.py": "from lib import put\nput(x, 'cuda!')\n",
    },
    "a parameter that does nothing with it": {
        "lib.py": "def put(x, label):\n    print(label)\n",
        "train.py": "from lib import put\nput(x, 'cuda')\n",
    },
}

CASES = {
    "one name": "'where', ['{}', 'cpu']",
    "several names": "'name, where', [('cuda', '{}'), ('b', 'cpu')]",
    "names in a tuple": "('name', 'where'), [['cuda', '{}'], ['b', 'cpu']]",
    "cases with marks": "'name,where', [pytest.param('cuda', '{}', id='a'), ('b', 'cpu')]",
}


@pytest.mark.parametrize("cases", CASES.values(), ids=CASES)
def test_a_case_of_a_test_is_decided_by_the_parameter(cases: str) -> None:
    code = "import pytest, torch\n@pytest.mark.parametrize({})\ndef test(where, name=''):\n"
    code += "    print(name)\n    torch.ones(1).to(where)\n"
    found = apply_fixes(SourceFile(code.format(cases.format("cuda"))), OPTIONS).text
    assert found.replace("import torch_npu\n", "") == code.format(cases.format("npu"))


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_an_argument_is_decided_by_the_parameter(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files


def test_a_name_that_is_asked_for_on_the_way_round_a_circle_is_found_later(tmp_path: Path) -> None:
    files = {
        "train.py": "import torch\nfrom words import WORD\ndef test():\n    x = other(1)\n"
        "    x = x.float()\n    x = x.half()\n    x = x.to(n)\n    x = x.half()\n"
        "    x = x.to(WORD)\n    assert x.device.type == 'cuda'\n",
        "words.py": "WORD = 'cuda!'\n",
    }
    assert decided(files, tmp_path) == files
