"""Words form one unit where they must agree, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.flow.tracing.values import End, EndKind
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.project.decisions import Outcome
from gpu2ascend_rules.program.units import Unit
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, decided, project_of, without_marks

NORM = "def norm(d):\n    return str(d).lower()\n"
DIVIDED = {
    "lib.py": "import torch, xgboost\ndef put(x, where):\n    xgboost.train({}, x, device=where)\n"
    "    return x.to(torch.device(where))\n",
    "train.py": "from lib import put\nput(x, 'cuda?')\n",
}
PROJECTS: dict[str, dict[str, str]] = {
    "a helper does not join its callers": {
        "u.py": NORM,
        "train.py": "import torch\nfrom u import norm\nx.to(norm('cuda!'))\nmode = norm('cuda')\n"
        "print(mode)\n",
        "other.py": "import torch\nfrom u import norm\nif norm(mode) == 'cuda':\n    print(1)\n",
    },
    "the keys of a registry": {
        "reg.py": "REG = {}\ndef register(name):\n    def deco(fn):\n        REG[name] = fn\n"
        "        return fn\n    return deco\n",
        "train.py": "import torch\nfrom reg import REG, register\n@register('cuda!')\ndef load(x): ...\n"
        "def pick(kind='cuda!'):\n    return REG[kind]\ndev = 'cuda!'\nx.to(dev)\npick(dev)\n",
        "other.py": "from reg import REG\nREG.get('cuda!')\n",
    },
    "a helper that tests joins what it tests": {
        "u.py": "def is_gpu(d):\n    return d == 'cuda!'\n",
        "train.py": "import torch\nfrom u import is_gpu\ndev = 'cuda!'\nx.to(dev)\nif is_gpu(dev):\n"
        "    pass\n",
    },
    "an option that nothing reads decides nothing": {
        "opts.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--device')\n",
        "b.py": "def f(o):\n    if o.device == 'cuda':\n        print(1)\n",
    },
    "the CPU's word joins nothing": {
        "u.py": "import torch\ndef put(x, where='cpu'):\n    assert where in ('cpu',)\n    x.to(where)\n",
        "train.py": "from u import put\nimport xgboost\nput(x, 'cpu')\nxgboost.train({}, x, device='cpu')\n"
        "kind = 'cuda'\nprint(kind)\n",
    },
    "a unit with the NPU's word stays": {
        "u.py": "import torch\ndef put(x, where):\n    assert where in ('cpu', 'cuda=', 'npu')\n"
        "    x.to(where)\n",
        "train.py": "from u import put\nput(x, 'cuda=')\n",
    },
    "an option with the NPU's word stays": {
        "opts.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--where', default='cuda=', choices=['cpu', 'cuda=', 'npu'])\n"
        "    return p.parse_args()\n",
        "train.py": "import torch\nfrom opts import get_args\nargs = get_args()\nx.to(args.where)\n"
        "if args.where == 'cuda=':\n    pass\n",
    },
    "a test beside one of the NPU's word stays": {
        "u.py": "import torch\ndef put(x, where):\n    if where == 'cuda=':\n        pass\n"
        "    elif where == 'npu':\n"
        "        pass\n    x.to(where)\n",
        "train.py": "from u import put\nput(x, 'cuda=')\n",
    },
    "a test of another module beside one of the NPU's word stays": {
        "u.py": "def is_gpu(d):\n    return d == 'cuda='\n"
        "def is_of(d, kind='cuda='):\n    return d == kind\n",
        "train.py": "import torch\nfrom u import is_gpu, is_of\ndef name(x):\n"
        "    if is_gpu(x.device.type):\n        return torch.cuda.get_device_name(0)\n"
        "    elif x.device.type == 'npu':\n        return 'NPU'\n"
        "def count(x):\n    return 1 if x.device.type == 'npu' else 2 if is_of(x.device.type) else 3\n",
    },
    "a test that only some callers have beside one of the NPU's word": {
        "u.py": "def is_gpu(d):\n    return d == 'cuda!'\n",
        "train.py": "import torch\nfrom u import is_gpu\ndef name(x):\n    kind = x.device.type\n"
        "    return 'GPU' if is_gpu(kind) else 'NPU' if kind == 'npu' else 'CPU'\n"
        "def sync(dev):\n    x.to(dev)\n    if is_gpu(dev):\n        torch.cuda.synchronize()\n"
        "sync('cuda!')\n",
    },
    "what only a library without NPUs takes stays": {
        "lib.py": "import xgboost\ndef fit(x, where):\n    xgboost.train({}, x, device=where)\n",
        "train.py": "import torch\nfrom lib import fit\nfit(x, 'cuda=')\n",
    },
    "what torch and a library without NPUs take is divided": DIVIDED,
    "two units in one file": {
        "lib.py": "import torch, xgboost\ndef fit(x, where):\n    xgboost.train({}, x, device=where)\n"
        "def put(x, where):\n    x.to(where)\n",
        "train.py": "from lib import fit, put\nfit(x, 'cuda=')\nput(x, 'cuda!')\n",
    },
    "two objects of one class": {
        "lib.py": "import torch\nclass Net:\n    def put(self, x, where):\n        x.to(where)\n"
        "    def say(self, where):\n        print(where)\n",
        "train.py": "from lib import Net\na = Net()\na.put(x, 'cuda!')\na.say('cuda')\n",
    },
}
BACKENDS: dict[str, dict[str, str]] = {
    "passed": {
        "lib.py": "import torch.distributed as dist\ndef setup(kind):\n    dist.init_process_group(kind)\n",
        "train.py": "from lib import setup\nsetup('nccl!')\n",
    },
    "asserted": {
        "lib.py": "import torch.distributed as dist\ndef setup(kind):\n    assert kind in ['nccl+', 'gloo']\n"
        "    dist.init_process_group(backend=kind)\n",
        "train.py": "from lib import setup\nsetup('nccl!')\n",
    },
    "of an option": {
        "opts.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--kind', default='nccl!', choices=['nccl!', 'gloo'])\n"
        "    return p.parse_args()\n",
        "train.py": "import torch.distributed as dist\nfrom opts import get_args\n"
        "dist.init_process_group(get_args().kind)\n",
    },
    "of a device": {
        "lib.py": "import torch.distributed as dist\ndef setup(kind, wide):\n"
        "    backend = 'nccl' if kind == 'cuda!' else 'gloo'\n    if wide:\n"
        "        backend = f'{kind}:{backend},cpu:gloo'\n    dist.init_process_group(backend)\n",
        "train.py": "from lib import setup\nsetup('cuda!', True)\n",
    },
    "put together by +": {
        "lib.py": "import torch.distributed as dist\ndef setup(kind, backend):\n"
        "    dist.init_process_group(kind + ':' + backend)\n",
        "train.py": "from lib import setup\nsetup('cuda!', 'nccl!')\n",
    },
    "put together in the call": {
        "lib.py": "import torch.distributed as dist\ndef setup(kind, backend):\n"
        "    dist.init_process_group(f'{kind}:{backend}')\n",
        "train.py": "from lib import setup\nsetup('cuda!', 'nccl!')\n",
    },
    "beside the NPU's": {
        "lib.py": "import torch.distributed as dist\ndef setup(kind):\n    assert kind in ['nccl=', 'hccl']\n"
        "    dist.init_process_group(backend=kind)\n",
        "train.py": "from lib import setup\nsetup('nccl=')\n",
    },
}


@pytest.mark.parametrize("files", {**PROJECTS, **BACKENDS}.values(), ids={**PROJECTS, **BACKENDS})
def test_a_unit_is_decided_as_one(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files


def test_a_divided_unit_is_one_error(tmp_path: Path) -> None:
    project = project_of(DIVIDED, tmp_path)
    found = [
        item
        for path, text in DIVIDED.items()
        for item in check(SourceFile(without_marks(text), path), OPTIONS, project)
        if item.code == "NPU212"
    ]
    assert [(item.severity, item.message.id) for item in found] == [(Severity.ERROR, "NPU212.divided")]


@pytest.mark.parametrize("name", {**PROJECTS, **BACKENDS})
def test_the_names_of_files_change_nothing(name: str, tmp_path: Path) -> None:
    """The files are looked into in the order of their names; renamed, they come in another."""
    files = {**PROJECTS, **BACKENDS}[name]
    others = {old: f"{chr(ord('z') - place)}{place}" for place, old in enumerate(sorted(files))}
    renamed = {}
    for path, text in files.items():
        for old, new in others.items():
            old = old.removesuffix(".py")
            text = text.replace(f"from {old} import", f"from {new} import").replace(
                f"import {old}\n", f"import {new}\n"
            )
        renamed[f"{others[path]}.py"] = text
    assert decided(renamed, tmp_path) == renamed


REPORTED: dict[str, tuple[dict[str, str], set[tuple[str, Severity]]]] = {
    "a library without NPUs": (
        PROJECTS["what only a library without NPUs takes stays"],
        {("NPU212.device", Severity.INFORMATION)},
    ),
    "a choice of whoever starts it": (
        PROJECTS["an option with the NPU's word stays"],
        {("NPU109.program", Severity.INFORMATION)},
    ),
    "a choice of whoever calls it": (
        {
            "a.py": "import torch\ndef run(x, device='cuda'):\n    if device == 'npu':\n"
            "        import torch_npu\n    return x.to(device)\n"
        },
        {("NPU201.served", Severity.INFORMATION)},
    ),
    "a back end of two libraries": (
        {
            "lib.py": "import cupy\nimport torch.distributed as dist\ndef setup(kind):\n"
            "    dist.init_process_group(kind)\n    cupy.cuda.nccl.build(kind)\n",
            "train.py": "from lib import setup\nsetup('nccl?')\n",
        },
        {("NPU401.divided", Severity.ERROR)},
    ),
}


@pytest.mark.parametrize(("files", "expected"), REPORTED.values(), ids=REPORTED)
def test_words_that_stay_are_reported(
    files: dict[str, str], expected: set[tuple[str, Severity]], tmp_path: Path
) -> None:
    project = project_of(files, tmp_path)
    found = [
        (item.message.id, item.severity)
        for path, text in files.items()
        for item in check(SourceFile(without_marks(text), path), OPTIONS, project)
    ]
    assert {item for item in found if item[0][:6] in ("NPU109", "NPU201", "NPU212", "NPU401")} == expected
    assert len(found) == len(set(found))


@pytest.mark.parametrize("is_proven", [False, True])
def test_uses_that_nothing_proves_divide_no_unit(is_proven: bool) -> None:
    kinds = (EndKind.TAKES, EndKind.REFUSES)
    ends = frozenset(End(kind, "a.py", 1, is_certain=is_proven) for kind in kinds)
    unit = Unit((), ends, frozenset({"a.py"}))
    assert unit.outcome is (Outcome.DIVIDED if is_proven else None)
