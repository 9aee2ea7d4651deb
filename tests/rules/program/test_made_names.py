"""A name that is made of a device's is missing where the project has it for CUDA alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, project_of

DEVICE = "import torch\nd = torch.device(place)\n"
ASKED: dict[str, tuple[dict[str, str], str]] = {
    "a module": (
        {"t.py": DEVICE + "importlib.import_module(f'lib_{d.type}')\n", "lib_cuda.py": ""},
        "lib_npu",
    ),
    "a function of a module": (
        {
            "t.py": DEVICE + "import ops\ngetattr(ops, 'add_' + d.type)\n",
            "ops.py": "def add_cuda(x):\n    pass\n",
        },
        "add_npu",
    ),
    "a file": (
        {"t.py": DEVICE + "open(f'conf/{d.type}.yaml')\n", "conf/cuda.yaml": "a: 1\n"},
        "conf/npu.yaml",
    ),
    "a file below a folder that is not known": (
        {"t.py": DEVICE + "open(ROOT / 'conf' / f'{d.type}.yaml')\n", "conf/cuda.yaml": "a: 1\n"},
        "conf/npu.yaml",
    ),
    "a member in capitals": (
        {"t.py": DEVICE + "class Kind(Enum):\n    CUDA = auto()\n\nKind[d.type.upper()]\n"},
        "NPU",
    ),
    "a constant in capitals": (
        {"t.py": DEVICE + "import c\ngetattr(c, f'SIZE_{d.type.upper()}')\n", "c.py": "SIZE_CUDA = 8\n"},
        "SIZE_NPU",
    ),
    "a key of a data file": (
        {
            "t.py": DEVICE + "conf = json.load(open('c.json'))\nconf['sizes'][d.type]\n",
            "c.json": '{"sizes": {"cuda": 64, "cpu": 4}}\n',
        },
        "npu",
    ),
    "a key of a configuration": (
        {"t.py": DEVICE + "conf = load()\nconf[d.type]\n", "conf/c.yaml": "cpu: 4\ncuda: 64\n"},
        "npu",
    ),
    "a member of an enumeration": (
        {"t.py": DEVICE + "class Kind(Enum):\n    cuda = 1\n\nKind[d.type]\n"},
        "npu",
    ),
    "an entry that a decorator makes": (
        {"t.py": DEVICE + "@entry('add_cuda')\ndef f():\n    pass\n\nTABLE['add_%s' % d.type]\n"},
        "add_npu",
    ),
    "what a package takes from its modules": (
        {
            "t.py": DEVICE + "import ops\ngetattr(ops, 'add_' + d.type)\n",
            "ops/__init__.py": "from .fast import *\n",
            "ops/fast.py": "def add_cuda(x):\n    pass\n",
        },
        "add_npu",
    ),
    "by a variable": (
        {"t.py": DEVICE + "def run_cuda():\n    pass\n\nname = 'run_' + d.type\nglobals()[name]()\n"},
        "run_npu",
    ),
    "by a function that another file gives the word": (
        {
            "t.py": "from ops import run\nrun('cuda')\n",
            "ops.py": "import torch\ndef op_cuda(x): ...\ndef run(kind):\n    x = torch.ones(2).to(kind)\n"
            "    globals()['op_' + kind](x)\n",
        },
        "op_npu",
    ),
}
NOT_MISSING: dict[str, dict[str, str]] = {
    "the NPU's is there": {"t.py": DEVICE + "def f_cuda(): ...\nf_npu = f_cuda\nvars()['f_' + d.type]\n"},
    "nothing looks it up": {"t.py": DEVICE + "def f_cuda():\n    pass\n\nprint('f_' + d.type)\n"},
    "the program writes the file": {"t.py": DEVICE + "open(f'{d.type}.txt', 'w')\n", "cuda.txt": ""},
    "the program writes what it reads": {
        "t.py": DEVICE + "p = f'{d.type}.pt'\nif new:\n    torch.save(m, p)\ntorch.load(p)\n",
        "cuda.pt": "",
    },
    "an object writes what it reads": {
        "t.py": "import torch\nclass C:\n    def __init__(self, d: torch.device):\n"
        "        self.p = Path('o') / f'{d.type}.txt'\n    def put(self):\n        self.p.write_text('')\n"
        "    def get(self):\n        return open(self.p)\n",
        "o/cuda.txt": "",
    },
    "it opens the file for writing": {
        "t.py": DEVICE + "h5py.File(f'{d.type}.h5', 'w')\nlogging.FileHandler(f'{d.type}.h5')\n",
        "cuda.h5": "",
    },
    "it is called an output": {
        "t.py": DEVICE + "out_dir = f'runs/{d.type}'\nTraining(output_dir=f'runs/{d.type}')\n",
        "runs/cuda/a.txt": "",
    },
    "it is a log": {"t.py": DEVICE + "basicConfig(filename=f'{d.type}.log')\n", "cuda.log": ""},
    "the entry is made by the same key": {
        "t.py": DEVICE + "t = {'s_cuda': 0}\nt['s_' + d.type] = 1\nprint(t['s_' + d.type])\n"
    },
    "a variable is no entry of a table": {"t.py": DEVICE + "s_cuda = 1\nstats['s_' + d.type]\n"},
    "the table stands there itself": {"t.py": DEVICE + "n = dict(cuda=8, cpu=1)[d.type]\n"},
    "the key of a configuration is a flag": {
        "t.py": DEVICE + "conf = load()\nconf[d.type]\n",
        "conf/c.yaml": "cuda: true\nlr: 1\n",
    },
    "the environment is asked": {"t.py": DEVICE + "s_cuda = 1\nos.environ['s_' + d.type]\n"},
    "another module registers the NPU's": {
        "t.py": DEVICE + "from table import OPS\nOPS['add_' + d.type]\n",
        "table.py": "OPS = {}\n",
        "cuda_ops.py": "from table import op\n@op('add_cuda')\ndef f(x): ...\n",
        "npu_ops.py": "from table import op\n@op('add_npu')\ndef f(x): ...\n",
    },
    "it is of something else": {"t.py": "import torch\ndef f_cuda():\n    pass\n\nvars()['f_' + row.kind]\n"},
    "it is the type of something else": {
        "t.py": "import torch\ndef f_cuda(): ...\ndef f(event): vars()['f_' + event.type]\n"
    },
}


def missing(files: dict[str, str], folder: Path) -> list[object]:
    """The names that the findings of the file ``t.py`` say are missing."""
    source = SourceFile(files["t.py"], "t.py")
    found = check(source, OPTIONS, project_of(files, folder))
    return [dict(one.message.arguments)["missing"] for one in found if one.code == "NPU219"]


@pytest.mark.parametrize(("files", "name"), ASKED.values(), ids=ASKED)
def test_it_is_told(files: dict[str, str], name: str, tmp_path: Path) -> None:
    assert missing(files, tmp_path) == [name]


@pytest.mark.parametrize("files", NOT_MISSING.values(), ids=NOT_MISSING)
def test_nothing_is_told_where(files: dict[str, str], tmp_path: Path) -> None:
    assert missing(files, tmp_path) == []


def test_a_name_that_the_program_asks_for_first_is_a_warning(tmp_path: Path) -> None:
    text = DEVICE + "t = {'a_cuda': 1}\nk = f'a_{d.type}'\nif k in t:\n    t[k]\n"
    found = check(SourceFile(text, "t.py"), OPTIONS, project_of({"t.py": text}, tmp_path))
    assert [one.severity for one in found if one.code == "NPU219"] == [Severity.WARNING]


def test_it_is_told_of_a_word_that_has_moved(tmp_path: Path) -> None:
    moved = "import torch\ndef f_cuda():\n    pass\n\nkind = 'npu'\nm.to(kind)\nvars()[f'f_{kind}']()\n"
    assert missing({"t.py": moved}, tmp_path) == ["f_npu"]
