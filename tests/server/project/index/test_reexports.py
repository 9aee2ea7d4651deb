"""Names of PyTorch that a module of the project passes on to others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend_rules.inference.reexports import names_bound_to_torch
from gpu2ascend_rules.options.options import options_from
from tests.server.project.conftest import Migrate
from tests.server.project.samples import Files

Make = Callable[[Files], Path]
COMMON = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import quantize_per_channel as quantize
from torch.cuda import amp
pool = F.embedding_bag
try:
    from other import Tensor
except ImportError:
    from torch import Tensor
"""


def apis(root: Path) -> list[str | None]:
    """What is found in ``use.py``, as a part of the project."""
    files = list(check_paths([root], options_from({"version": "2.8.0"})))
    return [finding.api for file in files if Path(file.path).name == "use.py" for finding in file.findings]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from common import F\nF.embedding_bag(x, 1)\n", "torch.nn.functional.embedding_bag"),
        ("from .common import F as f\nf.triplet_margin_loss(x)\n", "torch.nn.functional.triplet_margin_loss"),
        ("from common import nn\nclass A(nn.RReLU):\n    pass\n", "torch.nn.RReLU"),
        ("from common import quantize\nquantize(x)\n", "torch.quantize_per_channel"),
        ("from common import pool\npool(x, 1)\n", "torch.nn.functional.embedding_bag"),
        ("from common import *\nlayer = nn.RReLU()\n", "torch.nn.RReLU"),
        ("from middle import nn\nlayer = nn.RReLU()\n", "torch.nn.RReLU"),
        ("from package import nn\nlayer = nn.RReLU()\n", "torch.nn.RReLU"),
    ],
)
def test_are_found_at_their_uses(make: Make, code: str, expected: str) -> None:
    root = make(
        {
            "common.py": COMMON,
            "middle.py": "from common import nn\n",
            "package/__init__.py": "from .inner import *\n",
            "package/inner.py": "import torch.nn as nn\n",
            "use.py": code,
        }
    )
    assert expected in apis(root)


@pytest.mark.parametrize(
    ("listed", "is_brought"),
    [
        ("__all__ = ['A', 'nn']\n", True),
        ('__all__ = [\n    "A",  # nn is none\n    "nn",\n]  # all\n', True),
        ("__all__ = [name for name in dir()]\n", True),
        ("__all__ = ['A']\n__all__ += other\n", True),
        ("__all__ = ['A'] + other\n", True),
        ("__all__ = ['A']\n", False),
        ("__all__ = ('A', )\n", False),
        ("__all__ = [  # without nn\n    'A',\n]\n", False),
    ],
)
def test_a_star_import_brings_what_all_lists(make: Make, listed: str, is_brought: bool) -> None:
    files = {"common.py": listed + COMMON, "use.py": "from common import *\nlayer = nn.RReLU()\n"}
    assert apis(make(files)) == (["torch.nn.RReLU"] if is_brought else [])


def test_a_name_that_all_does_not_list_can_be_imported(make: Make) -> None:
    files = {
        "common.py": f"__all__ = ['A']\n{COMMON}",
        "use.py": "from common import nn\nlayer = nn.RReLU()\n",
    }
    assert apis(make(files)) == ["torch.nn.RReLU"]


@pytest.mark.parametrize(
    "code",
    [
        "from elsewhere import F\nF.triplet_margin_loss(x)\n",
        "from own import F\nF.triplet_margin_loss(x)\n",
        "from common import F as G\ndef f(F):\n    F.triplet_margin_loss(x)\n",
        "from common import *\nF = 1\nF.triplet_margin_loss(x)\n",
    ],
)
def test_a_name_of_the_project_itself_stays_what_it_is(make: Make, code: str) -> None:
    root = make({"common.py": COMMON, "own.py": "class F:\n    pass\n", "use.py": code})
    assert apis(root) == []


def test_modules_that_import_each_other_come_to_an_end(make: Make) -> None:
    root = make(
        {"a.py": "from b import F\nF.x()\n", "b.py": "from a import F\nimport torch.nn.functional as F2\n"}
    )
    assert apis(root) == []


def test_torch_itself_is_migrated_where_it_is_used(make: Make, run: Migrate) -> None:
    migrated = run(
        make({"common.py": COMMON, "use.py": "from common import torch\ntorch.cuda.empty_cache()\n"})
    )
    assert "torch_npu.npu.empty_cache()" in migrated.read("use.py")


def test_what_the_passing_module_migrates_is_not_edited_twice(make: Make, run: Migrate) -> None:
    code = "from common import amp\nwith amp.autocast():\n    pass\n"
    migrated = run(make({"common.py": COMMON, "use.py": code}))
    assert migrated.read("use.py") == code


def test_names_are_told_by_plain_searches() -> None:
    code = (
        b"import torch\nfrom torch import (\n    nn,  # layers\n    Tensor as T,\n)\n"
        b"import torch.optim as optim\nrelu = nn.ReLU\nother = 1\nfrom os import path\n"
    )
    assert names_bound_to_torch(code) == {"torch", "nn", "T", "optim", "relu"}
    assert names_bound_to_torch(b"import os\nnn = 1\n") == set()
