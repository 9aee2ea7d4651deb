"""Where a word is tested or looked up, the words there are decided with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

CALL = "from lib import put\nput(x, 'cuda!')\n"
HEAD = "import torch\nfrom c import PLACES\ndef put(x, where):\n"
USE = "    return x.to(torch.device(where))\n"
PLACES = "PLACES = ['cpu', 'cuda+']\n"


def body(test: str, head: str = "import torch\ndef put(x, where):\n") -> str:
    return f"{head}    {test}\n{USE}"


LISTS = {
    "asserted": "assert where in ['cpu', 'cuda+']",
    "asserted with a message": "assert where in ('cpu', 'cuda+'), f'{where} is no device'",
    "raised for": "if where not in {'cpu', 'cuda+'}:\n        raise ValueError(where)",
    "in brackets": "assert (where in ('cpu', 'cuda+'))",
    "of a key": "assert {'cpu': 1, 'cuda+': 2}[where]",
    "made a set": "assert where in set(['cpu', 'cuda+'])",
    "of lower-case words": "assert where.lower() in ['cpu', 'cuda+']",
    "of the part before the colon": "assert where.split(':')[0] in ['cpu', 'cuda+']",
    "of beginnings": "assert where.startswith(('cpu', 'cuda+'))",
}
TESTS = {
    "equal": "if where == 'cuda!': pass",
    "not equal": "if where != 'cuda!': pass",
    "the other way round": "if 'cuda!' == where: pass",
    "contained": "if 'cuda!' in where: pass",
    "the beginning": "if where.startswith('cuda!'): pass",
    "the beginning of its text": "if str(where).startswith('cuda!'): pass",
    "the part before the colon": "if where.split(':')[0] == 'cuda!': pass",
    "with a number": "if where == 'cuda!:0': pass",
    "a match": "match where:\n        case 'cuda!':\n            pass",
    "one of several in a match": "match where:\n        case 'cpu' | 'cuda!':\n            pass",
    "in a conditional expression": "n = 2 if where == 'cuda!' else 1",
    "of a device": "dev = torch.device(where)\n    if dev.type == 'cuda!': pass",
    "by a name": "is_gpu = where == 'cuda!'",
    "one of one": "if where in ['cuda+']: pass",
}


@pytest.mark.parametrize("test", {**LISTS, **TESTS}.values(), ids={**LISTS, **TESTS})
def test_the_words_of_a_test_are_decided_with_what_is_tested(test: str, tmp_path: Path) -> None:
    files = {"lib.py": body(test), "train.py": CALL}
    assert decided(files, tmp_path) == files


CONSTANTS: dict[str, dict[str, str]] = {
    "an entry of a table": {
        "c.py": "PLACES = {'where': ['cpu', 'cuda+'], 'name': ['cuda']}\n",
        "lib.py": body("assert where in PLACES['where']", HEAD),
        "train.py": CALL,
    },
    "the entry of each name": {
        "c.py": "PLACES = {'where': ['cpu', 'cuda+'], 'lr': [1]}\n",
        "lib.py": "from c import PLACES\ndef check(given):\n    for name, value in given.items():\n"
        "        if name in PLACES and value not in PLACES[name]: raise ValueError\n",
        "train.py": "import torch\nfrom lib import check\ngiven = {'where': 'cuda!'}\ncheck(given)\n"
        "x = torch.device(given['where'])\n",
    },
    "a list": {"c.py": PLACES, "lib.py": body("assert where in PLACES", HEAD), "train.py": CALL},
    "a set": {
        "c.py": "PLACES = frozenset({'cpu', 'cuda+'})\n",
        "lib.py": body("assert where in PLACES", HEAD),
        "train.py": CALL,
    },
    "the keys of a table": {
        "c.py": "PLACES = {'cpu': 1, 'cuda+': 2}\n",
        "lib.py": body("assert where in PLACES", HEAD),
        "train.py": CALL,
    },
    "the keys of a table that gives another value for what it has not": {
        "c.py": "PLACES = {'cpu': 1, 'cuda+': 2}\n",
        "lib.py": body("n = PLACES.get(where, 0)", HEAD),
        "train.py": CALL,
    },
    "of a module": {
        "c.py": PLACES,
        "lib.py": body("assert where in c.PLACES", "import torch\nimport c\ndef put(x, where):\n"),
        "train.py": CALL,
    },
    "of a class": {
        "lib.py": "import torch\nclass Net:\n    PLACES = ['cpu', 'cuda+']\n    def put(self, where):\n"
        "        assert where in self.PLACES\n        return torch.device(where)\n",
        "train.py": "from lib import Net\nNet().put('cuda!')\n",
    },
    "of a class in another module": {
        "c.py": "class Base:\n    PLACES = ['cpu', 'cuda+']\n",
        "lib.py": "import torch\nfrom c import Base\nclass Net(Base):\n    def put(self, where):\n"
        "        assert where in self.PLACES\n        return torch.device(where)\n",
        "train.py": "from lib import Net\nNet().put('cuda!')\n",
    },
    "a type": {
        "lib.py": "import torch\nfrom typing import Literal\ndef put(x, where: Literal['cpu', 'cuda+']):\n"
        + USE,
        "train.py": CALL,
    },
    "a type of another module": {
        "c.py": "from typing import Literal\nPlace = Literal['cpu', 'cuda+']\n",
        "lib.py": "import torch\nfrom c import Place\ndef put(x, where: Place = 'cuda!'):\n" + USE,
        "train.py": CALL,
    },
    "an optional type": {
        "lib.py": "import torch\nfrom typing import Literal, Optional\n"
        "def put(x, where: Optional[Literal['cpu', 'cuda+']] = None):\n" + USE,
        "train.py": CALL,
    },
    "a word": {
        "c.py": "GPU = 'cuda!'\n",
        "lib.py": body("if where == GPU: pass", "import torch\nfrom c import GPU\ndef put(x, where):\n"),
        "train.py": CALL,
    },
    "a check that another module makes": {
        "c.py": "def check(v):\n    if v not in ('cpu', 'cuda+'):\n        raise ValueError(v)\n",
        "lib.py": body("check(where)", "import torch\nfrom c import check\ndef put(x, where):\n"),
        "train.py": CALL,
    },
    "members of an enumeration": {
        "c.py": "import enum\nclass Place(str, enum.Enum):\n    CPU = 'cpu'\n    GPU = 'cuda!'\n",
        "lib.py": body(
            "if where == Place.GPU: pass", "import torch\nfrom c import Place\ndef put(x, where):\n"
        ),
        "train.py": CALL,
    },
}


@pytest.mark.parametrize("files", CONSTANTS.values(), ids=CONSTANTS)
def test_words_that_are_kept_elsewhere_are_decided_with_what_is_tested(
    files: dict[str, str], tmp_path: Path
) -> None:
    assert decided(files, tmp_path) == files


MEETINGS: dict[str, dict[str, str]] = {
    "a word of a list that a method gives": {
        "c.py": "class Words:\n    def gpu(self):\n        return 'cuda!'\n",
        "lib.py": "import torch\nfrom c import Words\ndef put(x, where):\n"
        "    assert where in ['cpu', Words().gpu()]\n" + USE,
        "train.py": CALL,
    },
    "two variables": {
        "lib.py": "import torch\ndef put(x, where, kind):\n    if where == kind:\n        pass\n" + USE,
        "train.py": "from lib import put\nput(x, 'cuda!', 'cuda!')\n",
    },
    "two arguments, each with those of its own call": {
        "lib.py": "def same(a, b):\n    return a == b\n",
        "other.py": "from lib import same\nmode = 'cuda'\nsame(mode, 'cuda')\n",
        "train.py": "import torch\nfrom lib import same\nplace = 'cuda!'\nx.to(place)\n"
        "same(place, 'cuda!')\n",
    },
}


@pytest.mark.parametrize("files", MEETINGS.values(), ids=MEETINGS)
def test_words_that_are_compared_with_one_another_are_decided_together(
    files: dict[str, str], tmp_path: Path
) -> None:
    assert decided(files, tmp_path) == files


ARGUMENTS: dict[str, dict[str, str]] = {
    "in its file": {
        "train.py": "import torch\ndef is_gpu(kind):\n    return kind == 'cuda!'\nis_gpu(x.device.type)\n"
    },
    "in another file": {
        "lib.py": "def is_gpu(kind):\n    return kind == 'cuda!'\n",
        "train.py": "import torch\nfrom lib import is_gpu\nis_gpu(x.device.type)\n",
    },
    "a method, by keyword": {
        "lib.py": "class Net:\n    def is_gpu(self, kind):\n        return kind == 'cuda!'\n",
        "train.py": "import torch\nfrom lib import Net\nNet().is_gpu(kind=x.device.type)\n",
    },
    "beside a test for the NPU": {
        "lib.py": "GPU = 'cuda='\n",
        "train.py": "import torch\nfrom lib import GPU\ndef run(x):\n    if x.device.type == GPU:\n"
        "        pass\n"
        "    elif x.device.type == 'npu':\n        pass\n",
    },
    "what is no device": {
        "lib.py": "def is_gpu(kind):\n    return kind == 'cuda'\n",
        "train.py": "import torch\nfrom lib import is_gpu\nis_gpu(sys.argv[1])\n",
    },
}


@pytest.mark.parametrize("files", ARGUMENTS.values(), ids=ARGUMENTS)
def test_a_parameter_is_compared_with_what_its_callers_give(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files
