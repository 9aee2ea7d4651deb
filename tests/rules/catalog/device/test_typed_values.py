"""Types of devices and back ends change together with the defaults of what has them."""

from __future__ import annotations

import re

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

VERSIONS = ("1.11.0", "2.1.0", "2.5.1", "2.8.0", str(NEWEST))
TYPED = {
    "a type": "from typing import Literal\ndef f(device: Literal['cpu', '{}'] = '{}'): ...\n",
    "a type by any name": (
        "from typing import Literal\nimport torch\ndef f(x, where: Literal['{}', 'cpu'] = '{}'):\n"
        "    return x.to(where)\n"
    ),
    "an alias": "import typing as t\nKind = t.Literal['{}', 'cpu']\ndef f(device: Kind = '{}'): ...\n",
    "an alias of several": (
        "from typing import Literal\nAccel = Literal['{}', 'mps', 'cpu']\n"
        "class C:\n    device: Accel = '{}'\n"
    ),
    "an alias that says so": (
        "from typing import Literal, TypeAlias\nWhere: TypeAlias = Literal['{}', 'cpu']\n"
        "def f(device: Where = '{}'): ...\n"
    ),
    "an alias of 3.12": (
        "from typing import Literal\ntype Where = Literal['{}', 'cpu']\ndef f(device: Where = '{}'): ...\n"
    ),
    "an optional type": (
        "from typing import Literal, Optional\nclass C:\n    device: Optional[Literal['{}', 'cpu']] = '{}'\n"
    ),
    "a field": (
        "from dataclasses import dataclass, field\nfrom typing import Literal\n@dataclass\nclass C:\n"
        "    device: Literal['{}', 'cpu'] = field(default='{}')\n"
    ),
    "an enum": (
        "from enum import Enum\nimport torch\nclass Device(str, Enum):\n    GPU = '{}'\n    CPU = 'cpu'\n"
        "def f(device: Device = '{}'): ...\n"
    ),
    "an enum that is called": (
        "import enum\nimport torch\nclass Kind(enum.Enum):\n    GPU = '{}'\n    CPU = 'cpu'\n"
        "device = torch.device(Kind('{}').value)\n"
    ),
    "choices": "p.add_argument('--device', choices=['{}', 'cpu'], default='{}')\n",
    "choices in a variable": "DEVICES = ('{}', 'cpu')\n"
    "p.add_argument('--device', choices=DEVICES, default='{}')\n",
    "choices of a type": (
        "from typing import Literal, get_args\nDevice = Literal['{}', 'cpu']\n"
        "p.add_argument('--device', choices=get_args(Device), default='{}')\n"
    ),
    "choices of click": (
        "import click\n@click.option('--device', type=click.Choice(['{}', 'cpu']), default='{}')\n"
        "def f(device): ...\n"
    ),
}
BACKENDS = {
    "a type": "from typing import Literal\ndef f(backend: Literal['{}', 'gloo'] = '{}'): ...\n",
    "an alias": (
        "from typing import Literal\nBackend = Literal['gloo', '{}']\ndef f(backend: Backend = '{}'): ...\n"
    ),
    "choices": "p.add_argument('--dist-backend', choices=['{}', 'gloo'], default='{}')\n",
}


def texts(code: str, name: str, version: str) -> list[str]:
    """The texts of a migrated program, whose types are those before the last of them."""
    new = apply_fixes(SourceFile(code.replace("{}", name)), options_from({"version": version})).text
    return re.findall(r"(?<=[\[( =,])'(\w+)'", new)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("code", TYPED.values(), ids=TYPED)
def test_a_default_is_a_value_of_its_type(code: str, version: str) -> None:
    *admitted, default = texts(code, "cuda", version)
    assert default == "npu"
    assert "npu" in admitted


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("code", BACKENDS.values(), ids=BACKENDS)
def test_a_back_end_is_a_value_of_its_type(code: str, version: str) -> None:
    *admitted, default = texts(code, "nccl", version)
    assert default == "hccl"
    assert "hccl" in admitted


@pytest.mark.parametrize(
    "text",
    [
        "from typing import Literal\nMode = Literal['cuda', 'triton', 'eager']\n"
        "def f(mode: Mode = 'cuda'): ...\n",
        "from typing import Literal\ndef f(device: Literal['cuda', 'npu'] = 'cpu'): ...\n",
        "from enum import Enum\nclass Kernel(Enum):\n    CUDA = 'cuda'\n    TRITON = 'triton'\n",
    ],
)
def test_a_type_of_something_else_stays(text: str) -> None:
    assert apply_fixes(SourceFile(text), options_from({"version": "2.8.0"})).text == text
