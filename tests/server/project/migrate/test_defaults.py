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


_EXPORT = """\
import argparse
import os
import torch
from model import Block

class Evaluator:
    def evaluate(self, model, engine=None, size=1):
        if engine is not None:
            import tensorrt
            return tensorrt.load(engine)
        return model

if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--trt', action='store_true')
    args = parser.parse_args()
    engine = None
    if args.trt:
        engine = os.path.join('out', 'model.trt')
    model = Block().cuda()
    Evaluator().evaluate(model, engine, 2)
    model(torch.ones(2).cuda()).sum().backward()
"""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Severity.HINT),
        ({"other.py": "import model\nevaluate(model, 'a.trt')\n"}, Severity.HINT),
        ({"run.sh": "python train.py --trt\n"}, Severity.ERROR),
        ({"other.py": "import model\nevaluator.evaluate(model, 'a.trt')\n"}, Severity.ERROR),
        ({"train.py": _EXPORT.replace("if args.trt:", "if args:")}, Severity.ERROR),
    ],
)
def test_a_library_behind_a_path_that_an_option_sets(
    changes: Files, expected: Severity, make: Make, run: Migrate
) -> None:
    done = run(make({"model.py": _MODEL, "train.py": _EXPORT, **changes}))
    found = [item.finding for outcome in done.outcomes.values() for item in outcome.remaining]
    assert {item.severity for item in found if item.code == "NPU701"} == {expected}


_SEVERAL = _TRAIN.replace("'--use-fast', action='store_true'", "'--gpus', type=int, default=1").replace(
    "use_fast=args.use_fast).cuda()\n",
    "2, 2).cuda()\n    if args.gpus > 1:\n        model = torch.nn.DataParallel(model)\n",
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Severity.INFORMATION),
        ({"run.sh": "python train.py --gpus 1\n"}, Severity.INFORMATION),
        ({"run.sh": "python train.py --gpus 4\n"}, Severity.ERROR),
        ({"train.py": _SEVERAL.replace("default=1", "default=2")}, Severity.ERROR),
        ({"train.py": _SEVERAL.replace("args.gpus >", "torch.cuda.device_count() >")}, Severity.ERROR),
    ],
)
def test_a_model_that_is_wrapped_for_more_devices_than_the_default(
    changes: Files, expected: Severity, make: Make, run: Migrate
) -> None:
    files = {"model.py": "import torch\nBlock = torch.nn.Linear\n", "train.py": _SEVERAL, **changes}
    found = [item.finding for item in run(make(files)).outcomes["train.py"].remaining]
    assert {item.severity for item in found if item.code == "NPU409"} == {expected}


_OPERATOR = """\
import os
from torch.utils.cpp_extension import load

try:
    from . import fast_op
except ImportError:
    if os.getenv('BUILD_FAST_OP') == 'True':
        fast_op = load('fast_op', ['fast_op.cpp', 'fast_op.cu'])

class Fast(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return fast_op.forward(x)

    @staticmethod
    def backward(ctx, grad):
        return fast_op.backward(grad)

class FastLayer(torch.nn.Module):
    def forward(self, x):
        return Fast.apply(x)
"""
_UNUSED: Files = {
    "setup.py": "import sys\n" + _SETUP.replace("'fast_op', [", "'ops.fast_op', [").replace(
        "modules =", "modules = [] if '--fast' not in sys.argv else"
    ).replace("fast_op.cu", "ops/fast_op.cu"),
    "ops/fast_op.cu": PROJECT["kernels/fast_op.cu"],
    "ops/__init__.py": "from .fast import FastLayer\n__all__ = ['FastLayer']\n",
    "ops/fast.py": "import torch\n" + _OPERATOR,
    "layers.py": "from ops import FastLayer\n\nclass Wider(FastLayer):\n    pass\n\nplain = 1\n",
    "model.py": "import torch\nfrom layers import plain\nclass Block(torch.nn.Linear):\n    pass\n",
    "train.py": _TRAIN.replace("use_fast=args.use_fast", "2, 2"),
}  # fmt: skip


def test_an_operator_that_nothing_uses_is_said_once(make: Make, run: Migrate) -> None:
    done = run(make(_UNUSED))
    found = [item.finding for outcome in done.outcomes.values() for item in outcome.remaining]
    kernels = [item for item in found if item.code in KERNELS]
    assert {item.severity for item in kernels} == {Severity.INFORMATION}
    assert len([item for item in kernels if item.code == "NPU622"]) == 1


_MISSING = """\
class Missing:
    def __init__(self, error):
        self.error = error

    def __getattr__(self, name):
        {}

try:
    import fast_op_cuda as ops
except ImportError as error:
    ops = Missing(error)
"""
_HANDED_ON: Files = {
    "pkg/ops/setup.py": _SETUP.replace("'fast_op', [", "'fast_op_cuda', ["),
    "pkg/ops/fast_op.cu": PROJECT["kernels/fast_op.cu"],
    "pkg/__init__.py": "from .ops import ops\n",
    "model.py": "import torch\nfrom pkg import ops\n\nclass Block(torch.nn.Linear):\n"
    "    def forward(self, x):\n        return ops.ball_query_wrapper(super().forward(x.cuda()))\n",
    "train.py": _TRAIN.replace("use_fast=args.use_fast", "2, 2"),
}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("raise ImportError(name) from self.error", Severity.ERROR), ("return abs", Severity.INFORMATION)],
)
def test_an_extension_in_whose_place_everything_raises_is_needed(
    answer: str, expected: Severity, make: Make, run: Migrate
) -> None:
    done = run(make({**_HANDED_ON, "pkg/ops/__init__.py": _MISSING.format(answer)}))
    found = [item.finding for item in done.outcomes["pkg/ops/setup.py"].remaining]
    assert {item.severity for item in found if item.code == "NPU621"} == {expected}


def test_an_extension_that_a_package_hands_on_is_told_once_where_it_is_called(
    make: Make, run: Migrate
) -> None:
    done = run(make({**_HANDED_ON, "pkg/ops/__init__.py": _MISSING.format("raise self.error")}))
    found = [item.finding for item in done.outcomes["model.py"].remaining]
    assert [(item.code, item.api) for item in found if item.kind == "cuda_op"] == [
        ("NPU622", "pkg.ops.ball_query_wrapper")
    ]


_LOADED = """\
from torch.utils.cpp_extension import load
backend = load('fast_op', ['fast_op.cpp', 'fast_op.cu'])
"""
_CHOSEN = (
    "    if args.use_fast:\n        from fast import Net\n    else:\n        from model import Block as Net\n"
)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("#python train.py --use-fast\npython train.py\n", Severity.INFORMATION),
        ("python train.py --use-fast\n", Severity.ERROR),
    ],
)
def test_an_extension_that_is_built_where_it_is_not_installed(
    script: str, expected: Severity, make: Make, run: Migrate
) -> None:
    files = {
        "ops/__init__.py": "",
        "ops/fast_op.cu": PROJECT["kernels/fast_op.cu"],
        "ops/backend.py": _LOADED,
        "ops/setup.py": _SETUP,
        "ops/fast.py": "import torch\ntry:\n    import fast_op as backend\nexcept ImportError:\n"
        "    from .backend import backend\n\nclass Fast(torch.nn.Module):\n"
        "    def __init__(self):\n        backend.start()\n\n"
        "    def forward(self, x):\n        return backend.forward(x)\n",
        "fast.py": "from ops.fast import Fast\nclass Net:\n    def __init__(self):\n        Fast()\n",
        "model.py": "import torch\nclass Block(torch.nn.Linear):\n    pass\n",
        "train.py": _TRAIN.replace(
            "    model = Block(use_fast=args.use_fast)", _CHOSEN + "    model = Net()"
        ),
        "run.sh": script,
    }
    found = severities(files, make, run)
    assert {*found, Severity.WARNING} == {expected, Severity.WARNING}


@pytest.mark.parametrize(
    "changes",
    [
        {"model.py": "from layers import Wider as Block\n"},
        {"model.py": "import layers\nBlock = getattr(layers, 'FastLayer')\n"},
        {"configs/a.yaml": "type: FastLayer\n"},
        {"train.py": "", "model.py": ""},
    ],
)
def test_an_operator_that_a_program_may_use_is_an_error(changes: Files, make: Make, run: Migrate) -> None:
    assert Severity.ERROR in severities({**_UNUSED, **changes}, make, run)


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


_FIRST = "        if not self.use_fast:\n            return x * 2\n        return Fast.apply(x)\n"
_OTHER = "        elif self.training:\n            return x\n"
_ONE = "        if self.use_fast:\n            return Fast.apply(x)\n"


@pytest.mark.parametrize(
    ("body", "is_needed"),
    [
        (_ONE + "        else:\n            raise ValueError(x)\n", True),
        (_ONE + "        raise ValueError(x)\n", True),
        (_ONE + _OTHER + "        else:\n            raise ValueError\n", False),
        (_ONE + "        return x * 2\n", False),
    ],
)
def test_a_setting_whose_other_values_end_in_an_error_chooses_nothing(
    body: str, is_needed: bool, make: Make, run: Migrate
) -> None:
    found = severities({**PROJECT, "model.py": _MODEL.replace(_FIRST, body)}, make, run)
    assert (Severity.ERROR in found) is is_needed
