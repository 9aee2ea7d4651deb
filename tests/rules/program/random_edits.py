"""A project with many units, and edits of it as somebody makes them who changes code."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable

Texts = dict[str, str]

PROJECT: Texts = {
    "train.py": """import torch
from functools import partial
from conf.schema import Args, get_args
from lib import checks, fields
from lib.put import make_device, put, put_all
from lib.store import REGISTRY, Store

args = get_args()
model = torch.nn.Linear(2, 2)
put(model, args.device)
put(model, where='cuda:0')
place = partial(put, where='cuda')
place(model)
put_all(*[model, 'cuda'])
store = Store()
store.keep('cuda')
model.to(store.kind)
model.to(REGISTRY['main'])
if checks.is_gpu(args.device):
    model.to(make_device(1))
model.to(fields.Settings().where)
""",
    "lib/__init__.py": "from .put import put\n",
    "lib/put.py": """import torch
from .kinds import CHOICES, DEFAULT

def put(x, where=DEFAULT):
    assert where in CHOICES
    return x.to(where)

def put_all(x, where, wide=False):
    if where == 'cuda':
        torch.cuda.synchronize()
    return put(x, where)

def make_device(number, kind='cuda'):
    return torch.device(f'{kind}:{number}')

def name_of(x):
    return str(x)
""",
    "lib/kinds.py": "DEFAULT = 'cuda'\nCHOICES = ['cpu', 'cuda']\nSHOWN = 'cuda'\n",
    "lib/checks.py": """from .kinds import DEFAULT

def is_gpu(kind):
    return kind == DEFAULT

def checked(kind):
    if kind not in ('cpu', 'cuda'):
        raise ValueError(kind)
    return kind
""",
    "lib/fields.py": """from dataclasses import dataclass, field
from typing import Literal
from .checks import checked

@dataclass
class Settings:
    where: Literal['cpu', 'cuda'] = 'cuda'
    backend: str = field(default='nccl', metadata={'choices': ['nccl', 'gloo']})

    def checked(self):
        return checked(self.where)
""",
    "lib/store.py": """REGISTRY = {'main': 'cuda', 'other': 'cpu'}

class Store:
    kind = 'cpu'

    def keep(self, kind):
        self.kind = kind

    def name(self):
        return 'store'
""",
    "lib/kernels.py": """import flash_attn
from .compat import there

def fast(x):
    return flash_attn.run(x)

def plain(x):
    return x
""",
    "lib/compat.py": "from torch import device as there\n",
    "attend.py": """from lib.compat import there
from lib.kernels import fast, plain
from lib.kinds import SHOWN

def attend(x, kind=SHOWN):
    if kind == 'cuda':
        return fast(x)
    return plain(x)

where = there('cuda')
attend(x, where.type)
""",
    "conf/__init__.py": "",
    "conf/schema.py": """import argparse
from dataclasses import dataclass

@dataclass
class Args:
    device: str = 'cuda'

def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument('--device', default='cuda', choices=['cpu', 'cuda'])
    parser.add_argument('--backend', default='nccl')
    return parser.parse_args()
""",
    "run.py": """import torch.distributed as dist
import yaml
from conf.schema import get_args
from lib.fields import Settings
from lib.put import put

with open('conf/base.yaml') as file:
    conf = yaml.safe_load(file)
put(model, conf['device'])
dist.init_process_group(conf['dist']['backend'])
args = get_args()
if args.backend == 'nccl':
    print('fast')
settings = Settings(backend='nccl')
dist.init_process_group(settings.backend)
""",
    "boost.py": """import xgboost
from lib.kinds import SHOWN

def fit(x, where):
    return xgboost.train({}, x, device=where)

fit(x, SHOWN)
""",
    "conf/base.yaml": "device: cuda\ndist:\n  backend: nccl\n",
}
_NAMES = ("put", "put_all", "make_device", "is_gpu", "checked", "Store", "Settings", "get_args", "DEFAULT",
          "CHOICES", "kind", "there", "fast", "where", "device", "backend", "keep", "REGISTRY", "fit",
          "SHOWN")  # fmt: skip
_WORDS = ("'cuda'", "'cpu'", "'npu'", "'nccl'", "'hccl'", "'gloo'", "'cuda:1'", "'mps'", "kind", "DEFAULT")
_ADDED = (
    "import xgboost\nfrom lib.put import put\nfrom lib import kinds\nput(x, 'cuda')\n"
    "xgboost.train({}, x, device=kinds.DEFAULT)\n",
    "from lib.kinds import *\nfrom lib import put\nput(x, DEFAULT)\n",
    "import lib.store\nlib.store.REGISTRY['main'] = 'cpu'\nlib.store.Store.kind = 'cuda'\n",
    "import flash_attn\ndef put(x, where='cuda'):\n    return flash_attn.run(x, where)\n",
    "def there(kind):\n    return kind\ndef fast(x):\n    return x\n",
    "import torch\ndef is_gpu(kind):\n    return kind in ('npu', 'cuda')\n",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--device', choices=['npu', 'cuda'])\n",
)
_LINES = (
    "x = 1",
    "where = 'cuda'",
    "kind = other",
    "return 'cuda'",
    "raise ValueError",
    "print(where)",
    "import torch",
    "from lib.kinds import DEFAULT as where",
    "if where == 'npu':",
    "# 'cuda'",
    "global DEFAULT",
    "from lib.put import *",
    "import flash_attn",
    "x.to(kind)",
    "assert kind in ('cuda', 'npu')",
)
_DEFINITION = re.compile(r"^(?:@\w+\n)?(?:def|class) (\w+).*\n(?:[ \t]+.*\n|\n(?=[ \t]))*", re.M)


def _a_file(texts: Texts, chance: random.Random, suffix: str = ".py") -> str:
    return chance.choice(sorted(path for path in texts if path.endswith(suffix)))


def _replaced(texts: Texts, paths: Iterable[str], pattern: str, new: str) -> None:
    for path in paths:
        texts[path] = re.sub(pattern, new, texts[path])


def rename(texts: Texts, chance: random.Random) -> None:
    """A name is another one: everywhere, or in one file, or where it is defined."""
    name = chance.choice(_NAMES)
    paths = sorted(texts) if chance.random() < 0.5 else [_a_file(texts, chance)]
    _replaced(texts, paths, rf"\b{name}\b", chance.choice([f"{name}_2", chance.choice(_NAMES)]))


def add_argument(texts: Texts, chance: random.Random) -> None:
    """A function takes one more argument, and its callers may give it."""
    name = chance.choice(["put", "put_all", "make_device", "is_gpu", "checked", "keep", "fit"])
    given, taken = chance.choice([("x, ", "first, "), ("'cuda', ", "kind='cuda', "), ("", "first=1, ")])
    _replaced(texts, sorted(texts), rf"def {name}\((self, )?", rf"def {name}(\1{taken}")
    if chance.random() < 0.7:
        _replaced(texts, sorted(texts), rf"(?<!def )\b{name}\(", f"{name}({given}")


def move_definition(texts: Texts, chance: random.Random) -> None:
    """A function or class goes to another file, and may be imported from there."""
    source, target = _a_file(texts, chance), _a_file(texts, chance)
    found = list(_DEFINITION.finditer(texts[source]))
    if not found:
        return
    moved = chance.choice(found)
    module = target.removesuffix(".py").replace("/", ".")
    texts[source] = texts[source].replace(moved[0], "", 1)
    texts[target] += moved[0]
    if source != target and chance.random() < 0.8:
        texts[source] = f"from {module} import {moved[1]}\n{texts[source]}"


def delete_file(texts: Texts, chance: random.Random) -> None:
    """A file goes away."""
    if len(texts) > 3:
        del texts[_a_file(texts, chance, "")]


def add_file(texts: Texts, chance: random.Random) -> None:
    """A new file uses what is there, or has the name of a module that was not there."""
    path = chance.choice(
        ["new.py", "lib/new.py", "lib.py", "kinds.py", "put.py", "lib/kernels.py", "lib/compat.py"]
    )
    texts[path] = chance.choice(_ADDED)


def add_settings(texts: Texts, chance: random.Random) -> None:
    """A new file of settings."""
    texts[chance.choice(["conf/more.yaml", "more.json"])] = (
        '{"device": "cuda", "dist": {"backend": "nccl"}}\n'
    )


def empty_file(texts: Texts, chance: random.Random) -> None:
    """Nothing is left in a file."""
    texts[_a_file(texts, chance, "")] = ""


def restore_file(texts: Texts, chance: random.Random) -> None:
    """A file is as it was first."""
    path = chance.choice(sorted(PROJECT))
    texts[path] = PROJECT[path]


def change_word(texts: Texts, chance: random.Random) -> None:
    """A constant, a default, a choice or an argument is another one."""
    path = _a_file(texts, chance)
    found = list(re.finditer(r"'(?:cuda|cpu|nccl|gloo|npu|hccl)(?::\d)?'|\bDEFAULT\b", texts[path]))
    if found:
        start, end = chance.choice(found).span()
        texts[path] = texts[path][:start] + chance.choice(_WORDS) + texts[path][end:]


def change_option(texts: Texts, chance: random.Random) -> None:
    """An option has another name, or its attribute is read by another one."""
    old, new = chance.sample(["--device", "--backend", "--kind", "args.device", "args.backend"], 2)
    _replaced(texts, [_a_file(texts, chance)], re.escape(old), new)


def change_setting(texts: Texts, chance: random.Random) -> None:
    """A value or a key of a configuration is another one."""
    path = next((path for path in sorted(texts) if path.endswith(".yaml")), None)
    if path is not None:
        old = chance.choice(["cuda", "nccl", "device", "backend", "dist", "cpu"])
        texts[path] = texts[path].replace(
            old, chance.choice(["cuda", "nccl", "cpu", "npu", "device", "kind"])
        )


def change_line(texts: Texts, chance: random.Random) -> None:
    """A line is typed, deleted or written twice, as deep as its neighbour."""
    path = _a_file(texts, chance)
    lines = texts[path].splitlines(keepends=True)
    place = chance.randrange(len(lines) + 1)
    before = "".join(lines[max(place - 1, 0) : place])
    indent = before[: len(before) - len(before.lstrip())] if before.strip() else ""
    if before.rstrip().endswith(":"):
        indent += "    "
    more = chance.choice([*(f"{indent}{line}\n" for line in _LINES), before, ""])
    texts[path] = "".join([*lines[:place], more, *lines[place + chance.randrange(2) :]])


EDITS: tuple[Callable[[Texts, random.Random], None], ...] = (
    rename, add_argument, move_definition, delete_file, add_file, add_settings, empty_file, restore_file,
    restore_file, change_word, change_word, change_option, change_setting, change_line, change_line,
    change_line, change_line,
)  # fmt: skip
