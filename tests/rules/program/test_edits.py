"""What the rules write of what the program decides: every word of a unit once, and nothing twice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, project_of

CALL = "from lib import put\nput(x, 'cuda')\n"
USE = "    return x.to(torch.device(where))\n"
HEAD = "import torch\nimport torch_npu\n"
PROJECTS: dict[str, tuple[dict[str, str], str]] = {
    "a list": (
        {"lib.py": f"{HEAD}def put(x, where):\n    assert where in ['cpu', 'cuda']\n{USE}", "train.py": CALL},
        f"{HEAD}def put(x, where):\n    assert where in ['cpu', 'cuda', 'npu']\n{USE}",
    ),
    "a type": (
        {
            "lib.py": f"{HEAD}from typing import Literal\ndef put(x, where: Literal['cpu', 'cuda']):\n{USE}",
            "train.py": CALL,
        },
        f"{HEAD}from typing import Literal\ndef put(x, where: Literal['cpu', 'cuda', 'npu']):\n{USE}",
    ),
    "a test": (
        {"lib.py": f"{HEAD}def put(x, where):\n    if where == 'cuda': pass\n{USE}", "train.py": CALL},
        f"{HEAD}def put(x, where):\n    if where == 'npu': pass\n{USE}",
    ),
    "a pattern": (
        {
            "lib.py": f"{HEAD}def put(x, where):\n    match where:\n        case 'cpu' | 'cuda':\n"
            f"            pass\n{USE}",
            "train.py": CALL,
        },
        f"{HEAD}def put(x, where):\n    match where:\n        case 'cpu' | 'npu':\n            pass\n{USE}",
    ),
    "a regular expression": (
        {
            "lib.py": f"{HEAD}import re\nKNOWN = re.compile(r'(?:cpu|\\bcuda(:\\d+)?|cuda_fake)$')\n"
            f"def put(x, where):\n    assert KNOWN.match(where)\n{USE}",
            "train.py": CALL,
        },
        f"{HEAD}import re\nKNOWN = re.compile(r'(?:cpu|\\bnpu(:\\d+)?|cuda_fake)$')\n"
        f"def put(x, where):\n    assert KNOWN.match(where)\n{USE}",
    ),
    "a regular expression for back ends": (
        {
            "lib.py": "import re\nimport torch.distributed as dist\ndef start(b):\n"
            "    assert re.fullmatch('nccl|gloo', b)\n    dist.init_process_group(b)\n",
            "train.py": "from lib import start\nstart('nccl')\n",
        },
        "import re\nimport torch.distributed as dist\ndef start(b):\n"
        "    assert re.fullmatch('hccl|gloo', b)\n    dist.init_process_group(b)\n",
    ),
    "the part of a text": (
        {
            "lib.py": f"{HEAD}def put(x, where):\n    kind, _, n = where.partition(':')\n"
            f"    if kind == 'cuda': pass\n{USE}",
            "train.py": CALL,
        },
        f"{HEAD}def put(x, where):\n    kind, _, n = where.partition(':')\n    if kind == 'npu': pass\n{USE}",
    ),
    "the keys of a table": (
        {
            "lib.py": f"{HEAD}def put(x, where):\n    n = {{'cpu': 1, 'cuda': 2}}[where]\n{USE}",
            "train.py": CALL,
        },
        f"{HEAD}def put(x, where):\n    n = {{'cpu': 1, 'cuda': 2, 'npu': 2}}[where]\n{USE}",
    ),
    "a default and a choice": (
        {
            "lib.py": "import argparse\ndef get():\n    p = argparse.ArgumentParser()\n"
            "    p.add_argument('--where', default='cuda', choices=['cpu', 'cuda'])\n"
            "    return p.parse_args()\n",
            "train.py": f"{HEAD}from lib import get\nx.to(get().where)\n",
        },
        "import argparse\ndef get():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--where', default='npu', choices=['cpu', 'npu'])\n    return p.parse_args()\n",
    ),
    "a type of back ends": (
        {
            "lib.py": "import torch.distributed as dist\nfrom typing import Literal\n"
            "Kind = Literal['gloo', 'nccl']\ndef put(x, kind: Kind):\n    dist.init_process_group(kind)\n",
            "train.py": "from lib import put\nput(x, 'nccl')\n",
        },
        "import torch.distributed as dist\nfrom typing import Literal\n"
        "Kind = Literal['gloo', 'nccl', 'hccl']\ndef put(x, kind: Kind):\n"
        "    dist.init_process_group(kind)\n",
    ),
    "a list of back ends": (
        {
            "lib.py": "import torch.distributed as dist\ndef put(x, kind):\n"
            "    assert kind in ['gloo', 'nccl']\n"
            "    dist.init_process_group(kind)\n",
            "train.py": "from lib import put\nput(x, 'nccl')\n",
        },
        "import torch.distributed as dist\ndef put(x, kind):\n    assert kind in ['gloo', 'nccl', 'hccl']\n"
        "    dist.init_process_group(kind)\n",
    ),
}


def migrated(files: Mapping[str, str], path: str, root: Path) -> str:
    """What becomes of one file of a project."""
    return apply_fixes(SourceFile(files[path], path), OPTIONS, project_of(files, root)).text


@pytest.mark.parametrize(("files", "expected"), PROJECTS.values(), ids=PROJECTS)
def test_words_are_written_once(files: dict[str, str], expected: str, tmp_path: Path) -> None:
    assert migrated(files, "lib.py", tmp_path) == expected
