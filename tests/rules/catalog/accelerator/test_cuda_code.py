"""What only a machine with CUDA has is reported in a project for any accelerator, but on ways of its own."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import said

TARGET = {"target": "accelerator", "version": "2.10.0"}
LOAD = "from torch.utils.cpp_extension import load\n"
TRIED = "try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n"

NEEDED = {
    "a build": (LOAD + "ops = load('a', ['a.cpp', 'a.cu'])\n", "built"),
    "a build by a function of another file": ("from b import plugin\np = plugin('a', ['a.cu'])\n", "built"),
    "an extension": ("import ops_cuda\ny = ops_cuda.run(x)\n", "extension"),
    "a library": ("import apex\n", "library"),
    "names of a library": ("from flash_attn import a, b\n", "library"),
    "a library that may be missing": (TRIED + "y = flash_attn.run(q)\n", "library"),
}
CPP = "from torch.utils.cpp_extension import CppExtension\n"
LEFT = {
    "C++": LOAD + "ops = load('a', ['a.cpp'])\n",
    "an extension of C++ whose sources a function lists": CPP
    + "def find(cuda):\n    return ['a.cpp', 'a.cu'] if cuda else ['a.cpp']\n"
    "e = CppExtension('a', sources=find(False))\n",
    "a library that is tested for": TRIED + "if flash_attn is not None:\n    y = flash_attn.run(q)\n",
    "a library for several devices": "import triton\nimport deepspeed\n",
}


@pytest.mark.parametrize(("text", "key"), NEEDED.values(), ids=NEEDED)
def test_what_needs_cuda_is_an_error(text: str, key: str) -> None:
    assert [line.split(":")[0] for line in said("ACC114", text, **TARGET)] == [f"{key} manual error"]


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_has_another_way_is_none(text: str) -> None:
    assert said("ACC114", text, **TARGET) == []


@pytest.mark.parametrize(
    "text",
    [
        "import torch.nn as nn\nclass Wrapped(nn.DataParallel):\n    pass\n",
        "from torch.nn.parallel import data_parallel\ny = data_parallel(net, x, ids)\n",
        "from torch.nn.parallel.data_parallel import DataParallel as DP\nnet = DP(net)\n",
        "from torch.nn.parallel import replicate\nnets = replicate(net, ids)\n",
    ],
)
def test_each_form_of_data_parallel_is_told(text: str) -> None:
    assert [line.split(":")[0] for line in said("ACC114", text, **TARGET)] == ["parallel manual warning"]


@pytest.mark.parametrize(
    ("text", "path", "severity"),
    [
        ("import subprocess\nn = subprocess.check_output(['nvidia-smi', '-L'])\n", "a.py", "error"),
        ("import os\nos.system('nvidia-smi')\n", "a.py", "warning"),
        ("n=$(nvidia-smi -L | wc -l)\n", "a.sh", "error"),
        ("/usr/bin/nvidia-smi\n", "a.sh", "warning"),
        ("print('nvidia-smi')\n", "a.py", None),
        ("which nvidia-smi\n", "a.sh", None),
    ],
)
def test_nvidia_smi_is_an_error_where_its_output_counts(text: str, path: str, severity: str | None) -> None:
    found = [line.split()[2].rstrip(":") for line in said("ACC115", text, path, **TARGET)]
    assert found == ([] if severity is None else [severity])
