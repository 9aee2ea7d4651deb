"""The keys of a registry are devices where it is looked up by one, wherever they are entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, decided, project_of, without_marks

LOOK_UP = "x = torch.ones(2).cuda()\nOPS[x.device.type](x)\n"
DECORATOR = (
    "OPS = {}\ndef op(device):\n    def w(f):\n        OPS[device] = f\n        return f\n    return w\n"
)
PROJECTS: dict[str, dict[str, str]] = {
    "by a decorator": {"t.py": f"import torch\n{DECORATOR}@op('cuda!')\ndef add(x): ...\n{LOOK_UP}"},
    "by a decorator of another file": {
        "ops.py": DECORATOR,
        "kernels.py": "import torch\nfrom ops import op\n@op('cuda!')\ndef add(x): ...\n",
        "t.py": f"import torch, kernels\nfrom ops import OPS\n{LOOK_UP}",
    },
    "by a decorator for several": {
        "t.py": "import torch\nOPS = {}\ndef op(*devices):\n    def w(f):\n        for d in devices:\n"
        "            OPS[d] = f\n        return f\n    return w\n"
        f"@op('cuda!', 'cpu')\ndef add(x): ...\n{LOOK_UP}"
    },
    "by a method that is called as one of lists": {
        "t.py": "import torch\nclass R:\n    def __init__(self): self.t = {}\n"
        "    def add(self, k, f): self.t[k] = f\n    def get(self, d): return self.t[d.type]\n"
        "r = R()\nr.add('cuda!', len)\nr.get(torch.device(place))\n"
    },
    "that a function gives the device of": {
        "reg.py": "class R:\n    def __init__(self): self.t = {}\n    def op(self, name):\n"
        "        def w(f):\n            self.t[name] = f\n            return f\n        return w\n"
        "    def get(self, key): return self.t[key]\nREG = R()\n"
        "def pick(where): return REG.get(where.type)\n",
        "kernels.py": "from reg import REG\n@REG.op('cuda!')\ndef add(x): ...\n",
        "t.py": "import torch, kernels\nfrom reg import pick\npick(torch.device(place))\n",
    },
    "below a name": {
        "t.py": "import torch\nOPS = {'add': {}}\ndef op(name, on):\n    def w(f): OPS[name][on] = f\n"
        "    return w\n@op('add', 'cuda!')\ndef add(x): ...\nx = torch.ones(2).cuda()\n"
        "OPS['add'][x.device.type](x)\n"
    },
    "above a name": {
        "t.py": "import torch\nOPS = {}\ndef op(name, on):\n    def w(f): OPS[on][name] = f\n"
        "    return w\n@op('add', 'cuda!')\ndef add(x): ...\nx = torch.ones(2).cuda()\n"
        "OPS[x.device.type]['add'](x)\n"
    },
    "by a default": {
        "t.py": "import torch\nOPS = {}\ndef op(on, f): OPS.setdefault(on, []).append(f)\n"
        f"op('cuda!', len)\n{LOOK_UP}"
    },
    "with an entry for the NPU of another file": {
        "ops.py": DECORATOR,
        "kernels.py": "import torch\nfrom ops import op\n@op('cuda')\ndef add(x): ...\n",
        "npu_kernels.py": "from ops import op\n@op('npu')\ndef add(x): ...\n",
        "t.py": f"import torch, kernels, npu_kernels\nfrom ops import OPS\n{LOOK_UP}",
    },
    "with an entry for the NPU by an update": {
        "t.py": f"import torch\n{DECORATOR}OPS.update(npu=sum)\n@op('cuda')\ndef add(x): ...\n{LOOK_UP}"
    },
    "with an entry for the NPU by a constant": {
        "t.py": f"import torch\n{DECORATOR}NPU = 'npu'\n@op(NPU)\ndef f(x): ...\n"
        f"@op('cuda')\ndef add(x): ...\n{LOOK_UP}"
    },
    "by the type of something else": {
        "t.py": f"import torch\n{DECORATOR}@op('cuda')\ndef add(x): ...\ndef f(event): OPS[event.type](x)\n"
    },
    "nowhere by a device": {
        "t.py": f"import torch\n{DECORATOR}@op('cuda')\ndef add(x): ...\nOPS[args.kernel](x)\n"
    },
}


def _enters(line: str) -> bool:
    return any(word in line for word in ("('cuda", "('npu", ", 'cuda", ", 'npu"))


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_they_move_with_it_unless_the_npu_has_its_own(files: dict[str, str], tmp_path: Path) -> None:
    plain = {path: without_marks(text) for path, text in files.items()}
    project = project_of(plain, tmp_path)
    for path, text in files.items():
        fixed = apply_fixes(SourceFile(plain[path], path), OPTIONS, project).text
        entered = [line for line in text.splitlines() if _enters(line)]
        assert [line.replace("cuda!", "npu") for line in entered] == [
            line for line in fixed.splitlines() if _enters(line)
        ]


SHARED: dict[str, dict[str, str]] = {
    "a class that its own method makes of a word": {
        "place.py": "from enum import Enum\nclass Place(str, Enum):\n    CPU = 'cpu'\n    GPU = 'cuda!'\n"
        "    @classmethod\n    def parse(cls, text):\n        return cls(text)\n",
        "t.py": "import torch\nfrom place import Place\nm.to(Place.GPU.value)\n"
        "m.to(Place.parse('cuda!').value)\n",
    },
    "a key that a question chooses": {
        "runners.py": "TABLE = {}\ndef entry(k):\n    def w(c):\n        TABLE[k] = c\n        return c\n"
        "    return w\n@entry('cuda!')\nclass A: ...\n@entry('cpu')\nclass B: ...\n",
        "t.py": "import torch\nfrom runners import TABLE\n"
        "kind = 'cuda!' if torch.cuda.is_available() else 'cpu'\nTABLE[kind]()\n",
    },
}


@pytest.mark.parametrize("files", SHARED.values(), ids=SHARED)
def test_words_of_several_files_move_together(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files


def test_the_name_of_what_needs_cuda_stays(tmp_path: Path) -> None:
    decorator = DECORATOR.replace("def op", "def register")
    files = {
        "setup.py": "from torch.utils.cpp_extension import CUDAExtension\n"
        "e = CUDAExtension('pn._ext', ['k.cu'])\n",
        "pn/__init__.py": "",
        "pn/ops.py": f"import torch\n{decorator}from pn import _ext\n@register('cuda')\ndef add(x):\n"
        "    return _ext.add(x)\n@register('cpu')\ndef plain(x): ...\n"
        "def run(x):\n    return OPS.get(x.device.type, plain)(x)\n",
    }
    project = project_of(files, tmp_path)
    fixed = apply_fixes(SourceFile(files["pn/ops.py"], "pn/ops.py"), OPTIONS, project).text
    assert "@register('cuda')" in fixed
