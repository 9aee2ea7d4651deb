"""A word that a function returns is decided with what its callers do with the result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

TRAIN = (
    "import torch\nfrom lib import get\ndev = get(a)\nm.to(dev)\nif dev == 'cuda!':\n"
    "    torch.cuda.empty_cache()\n"
)
OF_FIELD = "m.to(e.kind)\nif e.kind == 'cuda!':\n    pass\n"
PROJECTS: dict[str, dict[str, str]] = {
    "plain": {
        "lib.py": "def get(a):\n    if a.cpu:\n        return 'cpu'\n    return 'cuda!'\n",
        "train.py": TRAIN,
    },
    "by `or`": {"lib.py": "def get(a):\n    return a.device or 'cuda!'\n", "train.py": TRAIN},
    "by a condition": {"lib.py": "def get(a):\n    return 'cuda!' if a.gpu else 'cpu'\n", "train.py": TRAIN},
    "by a variable": {
        "lib.py": "def get(a):\n    found = 'cpu'\n    if a.gpu:\n        found = 'cuda!'\n"
        "    return found\n",
        "train.py": TRAIN,
    },
    "by another function": {
        "low.py": "def low():\n    return 'cuda!'\n",
        "lib.py": "from low import low\ndef get(a):\n    return low()\n",
        "train.py": TRAIN,
    },
    "in one of two objects of a class": {
        "lib.py": "from dataclasses import dataclass\n@dataclass\nclass Env:\n    kind: str\n"
        "def get(a):\n    return Env('cpu') if a.cpu else Env('cuda!')\n",
        "train.py": "import torch\nfrom lib import get\ne = get(a)\n" + OF_FIELD,
    },
    "in an object that a function returns in one of two ways": {
        "lib.py": "class Env:\n    def __init__(self, kind):\n        self.kind = kind\n"
        "def get(a):\n    if a.cpu:\n        return Env('cpu')\n    return Env(kind='cuda!')\n",
        "train.py": "import torch\nfrom lib import get\ne = get(a)\n" + OF_FIELD,
    },
    "in the entry of a table by devices": {
        "lib.py": "def get(d):\n    return {'cuda': 'nccl!', 'cpu': 'gloo'}[d.type]\n",
        "train.py": "import torch.distributed as dist\nfrom lib import get\nb = get(d)\n"
        "assert b in ['nccl+', 'gloo']\ndist.init_process_group(b)\n",
    },
    "in the entries that become attributes": {
        "lib.py": "DEFAULTS = {'kind': 'cuda!', 'name': 'a'}\nclass Env:\n    def __init__(self, **given):\n"
        "        for key, item in {**DEFAULTS, **given}.items():\n            setattr(self, key, item)\n",
        "train.py": "import torch\nfrom lib import Env\ne = Env()\n" + OF_FIELD,
    },
    "in a tuple": {
        "lib.py": "def get(a):\n    return 'cuda!', 0\n",
        "train.py": "import torch\nfrom lib import get\ndev, n = get(a)\nx.to(dev)\nok = dev == 'cuda!'\n",
    },
    "in a tuple, its other part": {
        "lib.py": "def get(a):\n    return 'cuda', 0\n",
        "train.py": "import torch\nfrom lib import get\nlabel, n = get(a)\nx.to(n)\n",
    },
    "in a dictionary": {
        "lib.py": "def get(a):\n    return {'where': 'cuda!', 'n': 1}\n",
        "train.py": "import torch\nfrom lib import get\nx.to(get(a)['where'])\n",
    },
    "of a property": {
        "lib.py": "class Net:\n    @property\n    def where(self):\n        return 'cuda!'\n",
        "train.py": "import torch\nfrom lib import Net\nnet = Net()\nx.to(net.where)\n",
    },
    "of a method": {
        "lib.py": "class Net:\n    def where(self):\n        return 'cuda!'\n",
        "train.py": "import torch\nfrom lib import Net\nx.to(Net().where())\n",
    },
    "of a method of a base": {
        "base.py": "class Base:\n    def where(self):\n        return 'cuda!'\n",
        "train.py": "import torch\nfrom base import Base\nclass Net(Base):\n    def run(self, x):\n"
        "        return x.to(self.where())\n",
    },
    "of a generator": {
        "lib.py": "def each():\n    yield 'cpu'\n    yield 'cuda!'\n",
        "train.py": "import torch\nfrom lib import each\nfor dev in each():\n    x.to(dev)\n",
    },
    "of a lambda": {
        "lib.py": "get = lambda a: 'cuda!'\n",
        "train.py": "import torch\nfrom lib import get\nx.to(get(1))\n",
    },
    "of a function that a cache wraps": {
        "lib.py": "from functools import lru_cache\n@lru_cache()\ndef get():\n    return 'cuda!'\n",
        "train.py": "import torch\nfrom lib import get\nx.to(get())\n",
    },
    "made a device, and the device tested": {
        "lib.py": "import torch\ndef get(a):\n    return torch.device('cuda!' if a else 'cpu')\n",
        "train.py": "from lib import get\ndev = get(a)\nif dev.type == 'cuda!':\n    pass\n",
    },
    "of a test, which all callers tell to a library with GPUs of its own": {
        "lib.py": "import torch\ndef is_gpu(x):\n    return x.device.type == 'cuda='\n",
        "train.py": "import faiss\nfrom lib import is_gpu\nk = faiss.Kmeans(8, 4, gpu=is_gpu(x))\n",
    },
    "of a test, which one caller tells to such a library": {
        "lib.py": "import torch\ndef is_gpu(x):\n    return x.device.type == 'cuda'\n",
        "train.py": "import faiss\nfrom lib import is_gpu\nk = faiss.Kmeans(8, 4, gpu=is_gpu(x))\n"
        "if is_gpu(x):\n    x.cuda()\n",
    },
    "of a test beside one for hccl": {
        "lib.py": "def is_nccl(backend):\n    return backend == 'nccl='\n",
        "train.py": "from lib import is_nccl\nif is_nccl(backend):\n    run(1)\n"
        "elif backend == 'hccl':\n    run(2)\n",
    },
    "of a test beside another": {
        "lib.py": "def is_nccl(backend):\n    return backend == 'nccl'\n",
        "train.py": "from lib import is_nccl\nif is_nccl(backend):\n    run(1)\n"
        "elif backend == 'gloo':\n    run(2)\n",
    },
    "only shown": {
        "lib.py": "def get(a):\n    return 'cuda'\n",
        "train.py": "from lib import get\nprint(get(a))\n",
    },
    "given back by a function that takes it": {
        "lib.py": "def same(v):\n    return v\n",
        "train.py": "import torch\nfrom lib import same\nx.to(same('cuda!'))\nprint(same('cuda'))\n",
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_a_result_is_decided_by_the_callers(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files
