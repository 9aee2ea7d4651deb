"""Projects with CUDA kernels beside PyTorch code: the NPU keeps the way on which it could train before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend_rules.model.finding import Severity
from tests.server.project.conftest import Migrate, Migrated
from tests.server.project.samples import Files

Make = Callable[[Files], Path]

GENERATOR = {
    "torch_utils/__init__.py": "",
    "torch_utils/ops/__init__.py": "",
    "torch_utils/ops/bias_act.cu": "__global__ void bias_act(float* x) {}\n",
    "torch_utils/custom_ops.py": """\
import importlib
import os
import torch.utils.cpp_extension

_cached = {}

def get_plugin(module_name, sources, source_dir, **options):
    if module_name not in _cached:
        paths = [os.path.join(source_dir, name) for name in sources]
        torch.utils.cpp_extension.load(name=module_name, sources=paths, **options)
        _cached[module_name] = importlib.import_module(module_name)
    return _cached[module_name]
""",
    "torch_utils/ops/bias_act.py": """\
import os
import torch
from .. import custom_ops

_plugin = None

def _init():
    global _plugin
    if _plugin is None:
        _plugin = custom_ops.get_plugin(
            module_name='bias_act_plugin',
            sources=['bias_act.cpp', 'bias_act.cu'],
            source_dir=os.path.dirname(__file__),
        )
    return True

def bias_act(x, b=None, impl='cuda'):
    assert impl in ['ref', 'cuda']
    if impl == 'cuda' and x.device.type == 'cuda' and _init():
        return _bias_act_cuda().apply(x, b)
    return _bias_act_ref(x, b)

def _bias_act_ref(x, b):
    return x if b is None else x + b

_bias_act_cuda_cache = {}

def _bias_act_cuda(dim=1):
    if dim in _bias_act_cuda_cache:
        return _bias_act_cuda_cache[dim]

    class BiasActCuda(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, b):
            return _plugin.bias_act(x, b)

        @staticmethod
        def backward(ctx, dy):
            return BiasActCudaGrad.apply(dy), None

    class BiasActCudaGrad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, dy):
            return _plugin.bias_act(dy, None)

    _bias_act_cuda_cache[dim] = BiasActCuda
    return BiasActCuda
""",
    "train.py": """\
import torch
from torch_utils.ops import bias_act

if __name__ == '__main__':
    x = torch.ones(2, device='cuda', requires_grad=True)
    bias_act.bias_act(x).sum().backward()
""",
}
"""Like the generators of the StyleGAN family."""

DETECTOR = {
    "det/__init__.py": "",
    "det/csrc/focal.cu": "__global__ void focal(float* x) {}\n",
    "det/layers/__init__.py": "from .focal import FocalLoss, focal_cuda\n",
    "det/layers/focal.py": """\
import torch
from torch import nn
from det import _C

class _Focal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits):
        return _C.sigmoid_focalloss_forward(logits)

focal_cuda = _Focal.apply

def focal_cpu(logits):
    return logits.sigmoid()

class FocalLoss(nn.Module):
    def forward(self, logits):
        if logits.is_cuda:
            loss = focal_cuda
        else:
            loss = focal_cpu
        return loss(logits)
""",
    "train.py": """\
import torch
from det.layers import FocalLoss

if __name__ == '__main__':
    x = torch.ones(2, device='cuda', requires_grad=True)
    FocalLoss()(x).sum().backward()
""",
}
"""Like a library for object detection."""
SETUP = """\
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name='det', ext_modules=[CUDAExtension('det._C', ['det/csrc/focal.cu'])])
"""


def errors(done: Migrated) -> list[str]:
    return [
        f"{path}:{item.start_line} {item.finding.code}"
        for path, outcome in done.outcomes.items()
        for item in outcome.remaining
        if item.finding.severity is Severity.ERROR
    ]


def test_a_generator_trains_by_its_fallback(make: Make, run: Migrate) -> None:
    done = run(make(GENERATOR))
    assert done.read("torch_utils/ops/bias_act.py") == GENERATOR["torch_utils/ops/bias_act.py"]
    assert "device='npu'" in done.read("train.py")
    assert errors(done) == []
    assert done.summary.is_complete and done.result.exit_code == 0


def test_a_detector_trains_by_its_fallback_once_it_is_built(make: Make, run: Migrate) -> None:
    done = run(make({**DETECTOR, "setup.py": SETUP}))
    assert done.read("det/layers/focal.py") == DETECTOR["det/layers/focal.py"]
    assert errors(done) == ["det/csrc/focal.cu:1 NPU1401", "setup.py:3 NPU621"]


def test_a_kernel_that_another_file_calls_without_a_test_is_an_error(make: Make, run: Migrate) -> None:
    caller = "import torch\nfrom det.layers import focal_cuda\nfocal_cuda(torch.ones(1, device='cuda'))\n"
    done = run(make({**DETECTOR, "setup.py": SETUP, "eval.py": caller}))
    assert "det/layers/focal.py:8 NPU622" in errors(done)


IMPORTS = {
    "a name": "from ops.fps import fps_kernel\ndef f(x):\n    return fps_kernel(x) if x.is_cuda else x\n",
    "a name that is passed on": (
        "from ops import fps_kernel\ndef f(x):\n    return fps_kernel(x) if x.is_cuda else x\n"
        ""
    ),
    "a package": "import ops\ndef f(x):\n    if x.is_cuda: return ops.fps_kernel(x)\n    return x\n",
    "a module": "import ops.fps\ndef f(x):\n    if x.is_cuda: return ops.fps.fps_kernel(x)\n    return x\n",
    "a module by its name": (
        "from ops import fps\ndef f(x):\n    return fps.fps_kernel(x) if x.is_cuda else x\n"
        ""
    ),
    "everything": "from ops import *\ndef f(x):\n    return fps_kernel(x) if x.is_cuda else x\n",
}  # fmt: skip


@pytest.mark.parametrize("text", IMPORTS.values(), ids=IMPORTS)
def test_a_kernel_of_another_file_is_known(make: Make, run: Migrate, text: str) -> None:
    kernel = "try:\n    import pn_cuda\nexcept ImportError:\n    pn_cuda = None\n"
    kernel += "def fps_kernel(x):\n    return pn_cuda.run(x)\ndef plain(x):\n    return x\n"
    files = {"ops/__init__.py": "from .fps import fps_kernel, plain\n", "ops/fps.py": kernel}
    control = "from ops import plain\ndef f(x):\n    return plain(x) if x.is_cuda else x\n"
    done = run(make({**files, "main.py": f"import torch\n{text}", "control.py": f"import torch\n{control}"}))
    assert done.read("main.py") == f"import torch\n{text}"
    assert "x.is_npu" in done.read("control.py")


TRIED = "try:\n    from ops import warp\nexcept ImportError:\n    warp = None\n"


@pytest.mark.parametrize(
    ("net", "is_needed"),
    [
        (TRIED + "def f(x):\n    return warp(x)\n", True),
        (TRIED + "def f(x):\n    return x if warp is None else warp(x)\n", False),
        (TRIED + "def f(x):\n    if not warp:\n        raise OSError\n    return warp(x)\n", False),
        (TRIED.replace("warp = None", "from slow import warp") + "def f(x):\n    return warp(x)\n", False),
        (TRIED + "def f(x):\n    return g(x, warp)\n", False),
    ],
)
def test_a_tried_import_is_needed_where_its_name_is_called_all_the_same(
    make: Make, run: Migrate, net: str, is_needed: bool
) -> None:
    warp = "import torch\nfrom . import warp_ext\ndef warp(x):\n    return warp_ext.forward(x)\n"
    setup = (
        "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('ops.warp_ext', ['ops/a.cu'])\n"
    )
    files = {"ops/__init__.py": "from .warp import warp\n", "ops/warp.py": warp, "setup.py": setup}
    done = run(make({**files, "train.py": "import torch\n" + net + "f(torch.ones(2).cuda())\n"}))
    found = [item.finding.severity for item in done.outcomes["ops/warp.py"].remaining if item.start_line == 2]
    assert found == [Severity.ERROR if is_needed else Severity.HINT]


COMPILES = """\
from torch.utils.cpp_extension import load
ext = load('ext', ['ext.cpp', 'ext.cu'])
plain = load('plain', ['plain.cpp'])
"""


@pytest.mark.parametrize(
    ("imports", "ext"),
    [
        ("from .ops import ext, plain", "ext"),
        ("from . import ops", "ops.ext"),
        ("import p.ops as o", "o.ext"),
    ],
)
def test_what_another_module_compiles_is_called(make: Make, run: Migrate, imports: str, ext: str) -> None:
    user = f"import torch\n{imports}\ndef f(x):\n    {ext[:-3]}plain.run(x)\n    return {ext}.run(x)\n"
    done = run(make({"p/__init__.py": "", "p/ops.py": COMPILES, "p/net.py": user}))
    assert errors(done) == ["p/net.py:5 NPU622", "p/ops.py:2 NPU621"]


def test_a_call_of_one_of_two_builds_is_reported_once(make: Make, run: Migrate) -> None:
    imports = "try:\n    import _ext as e\nexcept ImportError:\n    from .ops import ext as e\n"
    user = f"import torch\n{imports}def f(x):\n    return e.run(x)\n"
    script = SETUP.replace("det._C", "_ext")
    done = run(make({"setup.py": script, "p/__init__.py": "", "p/ops.py": COMPILES, "p/net.py": user}))
    assert errors(done) == ["p/net.py:7 NPU622", "p/ops.py:2 NPU621", "setup.py:3 NPU621"]


def test_an_extension_is_reached_through_the_module_that_imports_it(make: Make, run: Migrate) -> None:
    script = SETUP.replace("det._C", "p._C")
    user = "from .ops import _C, Box\ndef f(x):\n    return _C.run(Box(x))\n"
    ops = "from . import _C\nclass Box: ...\n"
    done = run(make({"setup.py": script, "p/__init__.py": "", "p/ops.py": ops, "p/net.py": user}))
    assert errors(done) == ["p/net.py:3 NPU622", "p/ops.py:1 NPU622", "setup.py:3 NPU621"]


CHOSEN = """\
import os
from setuptools import setup
from torch.utils.cpp_extension import CppExtension, CUDAExtension
ext = CppExtension
if os.getenv('FORCE_CUDA') == '1': ext = CUDAExtension
setup(name='p', ext_modules=[ext('p._C', [{}])])
"""
USER = "import torch\nfrom . import _C\ndef f(x):\n    return _C.fwd(x)\n"


def test_a_build_of_cuda_sources_is_an_obstacle_whatever_its_class_is_called(
    make: Make, run: Migrate
) -> None:
    kernel = {"csrc/k.cu": "__global__ void f() {}\n", "p/__init__.py": "", "p/ops.py": USER}
    done = run(make({**kernel, "setup.py": CHOSEN.format("'csrc/k.cu'")}))
    assert errors(done) == ["p/ops.py:2 NPU622", "p/ops.py:4 NPU622", "setup.py:6 NPU621"]
    assert not done.summary.is_complete and done.result.exit_code == 1


def test_an_extension_that_is_built_without_cuda_there_is_none(make: Make, run: Migrate) -> None:
    user = USER.replace("_C.fwd(x)", "_C.fwd(x) if x.is_cuda else _C.fwd_cpu(x)")
    files = {"p/__init__.py": "", "p/ops.py": user, "setup.py": CHOSEN.format("*files")}
    done = run(make(files))
    assert errors(done) == [] and done.read("p/ops.py") == user


def test_a_setup_script_in_a_folder_names_an_extension_for_all(make: Make, run: Migrate) -> None:
    script = SETUP.replace("det._C", "voxlib").replace("det/csrc/focal.cu", "v.cu")
    user = "import voxlib\ndef f(x):\n    return voxlib.run(x)\n"
    done = run(make({"lib/voxlib/setup.py": script, "lib/voxlib/__init__.py": "", "model.py": user}))
    assert errors(done) == ["lib/voxlib/setup.py:3 NPU621", "model.py:1 NPU622", "model.py:3 NPU622"]


def test_a_build_of_cpp_alone_is_none(make: Make, run: Migrate) -> None:
    script = (
        "import os\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\n"
        "files = [f for f in os.listdir('src') if f.endswith('.cpp') or f.endswith('.cu')]\n"
        "setup(ext_modules=[CppExtension(name='seg', sources=files)])\n"
    )
    user = "import torch\nimport seg\nseg.run(torch.ones(1))\n"
    done = run(make({"libs/seg/setup.py": script, "libs/seg/src/a.cpp": "", "train.py": user}))
    assert errors(done) == []


LEFT_OUT = (
    "import torch\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import {imports}\n{before}"
    "if torch.cuda.is_available():\n    E = [CUDAExtension('det._C', ['det/a.cu'])]\nsetup(ext_modules=E)\n"
)


@pytest.mark.parametrize(
    ("imports", "before", "has_error"),
    [
        ("CUDAExtension", "E = []\n", True),
        ("CUDAExtension, CppExtension", "E = [CppExtension('det._C', ['det/a.cpp'])]\n", False),
    ],
    ids=["nothing", "for the CPU"],
)
def test_an_import_of_what_is_only_built_with_cuda_fails_whatever_guards_its_calls(
    make: Make, run: Migrate, imports: str, before: str, *, has_error: bool
) -> None:
    user = "import torch\nfrom . import _C\ndef f(x):\n    return _C.run(x) if x.is_cuda else x\n"
    script = LEFT_OUT.format(imports=imports, before=before)
    done = run(make({"setup.py": script, "det/__init__.py": "", "det/net.py": user}))
    assert ("det/net.py:2 NPU622" in errors(done)) is has_error
