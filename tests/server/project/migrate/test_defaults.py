"""CUDA kernels that a setting chooses: information where it is left alone, an error where a file gives it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend_rules.model.finding import Severity
from tests.server.project.conftest import Migrate
from tests.server.project.samples import Files

Make = Callable[[Files], Path]

_SETUP = """\
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
modules = [CUDAExtension('fast_op', ['fast_op.cu'])]
setup(name='fast_op', ext_modules=modules, cmdclass={'build_ext': BuildExtension})
"""
_WRAPPER = """\
import torch
import fast_op

class Fast(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return fast_op.forward(x)
"""
_MODEL = """\
import torch
try:
    from kernels.fast import Fast
except Exception:
    Fast = None

class Block(torch.nn.Module):
    def __init__(self, use_fast=False):
        super().__init__()
        self.use_fast = use_fast

    def forward(self, x):
        if not self.use_fast:
            return x * 2
        return Fast.apply(x)
"""
_TRAIN = """\
import argparse
import torch
from model import Block

if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--use-fast', action='store_true')
    args = parser.parse_args()
    model = Block(use_fast=args.use_fast).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(2).cuda()).sum().backward()
    optimizer.step()
"""
PROJECT: Files = {
    "kernels/setup.py": _SETUP,
    "kernels/fast_op.cu": "__global__ void f(float* x) {}\n",
    "kernels/__init__.py": "",
    "kernels/fast.py": _WRAPPER,
    "model.py": _MODEL,
    "train.py": _TRAIN,
}
KERNELS = frozenset({"NPU621", "NPU622", "NPU1401"})


def severities(files: Files, make: Make, run: Migrate) -> set[Severity]:
    done = run(make(files))
    return {
        item.finding.severity
        for outcome in done.outcomes.values()
        for item in outcome.remaining
        if item.finding.code in KERNELS
    }


def test_a_kernel_that_no_default_chooses_is_no_error(make: Make, run: Migrate) -> None:
    found = severities(PROJECT, make, run)
    assert Severity.INFORMATION in found
    assert Severity.ERROR not in found


@pytest.mark.parametrize(
    "changes",
    [
        {"run.sh": "python train.py --use-fast\n"},
        {"configs/a.yaml": "use_fast: true\n"},
        {"train.py": _TRAIN.replace("use_fast=args.use_fast", "use_fast=True")},
        {"train.py": _TRAIN.replace("use_fast=args.use_fast", "args.use_fast or True")},
        {"model.py": _MODEL.replace("use_fast=False", "use_fast=True")},
        {"model.py": _MODEL.replace("    Fast = None", "    raise")},
        {"kernels/setup.py": _SETUP.replace("name='fast_op',", "packages=['fast_op'],")},
        {"kernels/setup.py": "", "setup.py": _SETUP.replace("fast_op.cu", "kernels/fast_op.cu")},
        {
            "train.py": _TRAIN.replace("Block(use_fast=args.use_fast)", "build(True)").replace(
                "\nif __name__", "\ndef build(use_fast):\n    return Block(use_fast=use_fast)\n\nif __name__"
            )
        },
        {"other.py": "import kernels.fast\n", "train.py": "import other\n" + _TRAIN},
    ],
)
def test_where_a_file_chooses_it_it_is_an_error(changes: Files, make: Make, run: Migrate) -> None:
    assert Severity.ERROR in severities({**PROJECT, **changes}, make, run)
