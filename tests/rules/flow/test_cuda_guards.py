"""Tests of torch.cuda that stay as they are, those that are renamed, and those that a person must decide."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.flow.guards.conditions.checkpoint_loads import cpu_arm
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

VERSIONS = ("1.11.0", "2.1.0", "2.5.1", "2.8.0", str(NEWEST))
SETUP = "from setuptools import setup\nimport torch\n"

STAY = {
    "tests of tensors of which one is negated": (
        "import torch\nimport ops_cuda\ndef f(v, x):\n    if not v.is_cuda and x.is_cuda:\n"
        "        raise NotImplementedError\n    return ops_cuda.run(v, x)\n"
    ),
    "a word beside what a library for CUDA answers": (
        "import torch\nfrom isaacgym import gymutil\nkind, index = gymutil.parse_device_str(where)\n"
        "if kind == 'cuda':\n    pass\n"
    ),
    "a build of an extension": (
        "import torch\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension\n"
        "ext = CUDAExtension if torch.cuda.is_available() else CppExtension\n"
    ),
    "a home of CUDA": (
        "import os\nimport torch\nfrom torch.utils.cpp_extension import CUDA_HOME\n"
        "def sources():\n    if (torch.cuda.is_available() and CUDA_HOME is not None) or "
        "os.getenv('FORCE_CUDA') == '1':\n"
        "        return ['ops.cpp', 'ops_kernel.cu']\n    return ['ops.cpp']\n"
    ),
    "a home of CUDA in a variable": (
        "import torch\nfrom torch.utils import cpp_extension\n"
        "has_cuda = torch.cuda.is_available() and cpp_extension.CUDA_HOME is not None\n"
        "if has_cuda:\n    build()\n"
    ),
    "a setup script": (
        f"{SETUP}def get_extensions():\n    if torch.cuda.is_available():\n"
        "        print('with CUDA', torch.cuda.get_device_capability())\n    return []\n"
        "setup(name='x', ext_modules=get_extensions())\n"
    ),
    "a setup script with a variable": (
        f"{SETUP}use_cuda = torch.cuda.is_available()\nextra = ['cupy'] if use_cuda else []\n"
        "setup(name='x', install_requires=extra)\n"
    ),
    "a setup script that imports torch.cuda": (
        "from setuptools import setup\nfrom torch import cuda\nn = cuda.device_count()\nsetup(name='x')\n"
    ),
    "sources of CUDA": (
        "import torch\nsources = ['a.cpp']\nif torch.cuda.is_available():\n    sources += ['a_kernel.cu']\n"
    ),
    "sources loaded at run time": (
        "import torch\nfrom torch.utils.cpp_extension import load\nif torch.cuda.is_available():\n"
        "    ops = load(name='ops', sources=['ops.cpp', 'ops.cu'])\nelse:\n    ops = None\n"
    ),
    "flags of a compiler for CUDA": (
        "import torch\ndef flags(flags):\n    if torch.cuda.is_available():\n"
        "        extra_cuda_cflags = ['-O3']\n        flags.append('-DCUDA_OP')\n    return flags\n"
    ),
    "sources whose paths are joined": (
        "import os\nimport torch\nfrom lib import load_extension\n"
        "ops = load_extension('ops', [os.path.join(here, 'ops.cpp'), os.path.join(here, 'ops.cu')])\n"
        "def f(x):\n    if x.device.type == 'cuda':\n        g = ops.f_cuda\n    else:\n"
        "        g = ops.f_cpu\n    return g(x)\n"
    ),
    "sources in a variable": (
        "import torch\nfrom torch.utils.cpp_extension import load\nsources = ['ops.cpp', 'ops.cu']\n"
        "ops = load(name='ops', sources=sources)\n"
        "def f(x):\n    if torch.cuda.is_available():\n        return ops.f(x)\n    return x\n"
    ),
    "sources of a function around load": (
        "import torch\nfrom torch.utils.cpp_extension import load\n"
        "def build(name, sources):\n    return load(name=name, sources=sources)\n"
        "ops = build('ops', ['ops.cpp', 'ops.cu'])\n"
        "def f(x):\n    if torch.cuda.is_available():\n        return ops.f(x)\n    return x\n"
    ),
    "flags of nvcc": "import torch\nargs = {'nvcc': ['-O3']} if torch.cuda.is_available() else {}\n",
    "a module of CUDA": "import torch\nif torch.cuda.is_available():\n    import deform_conv_cuda\n",
    "a module of CUDA, tried": (
        "import torch\nops = None\nif torch.cuda.is_available():\n    try:\n"
        "        from . import upfirdn2d_cuda as ops\n"
        "    except ImportError:\n        pass\n"
    ),
    "a module of CUDA in a package": (
        "import torch as th\nif th.cuda.is_available():\n    from .cuda import kernels\nelse:\n"
        "    from .cpu import kernels\n"
    ),
    "cupy": (
        "import torch\nif torch.cuda.device_count() > 0:\n    import cupy as xp\nelse:\n"
        "    import numpy as xp\n"
    ),
    "a package for GPUs": (
        "import torch\nuse('onnxruntime-gpu' if torch.cuda.is_available() else 'onnxruntime')\n"
    ),
    "a package for GPUs, by a variable": (
        "import torch\ndef f():\n    cuda = torch.cuda.is_available()\n"
        "    use(('onnxruntime-gpu' if cuda else 'onnxruntime', 'onnx'))\n"
    ),
    "a module in the else": (
        "import torch\nif not torch.cuda.is_available():\n    nms = None\nelse:\n"
        "    from nms_cuda import nms\n"
    ),
    "a module behind a return": (
        "import torch\ndef get_ops():\n    if not torch.cuda.is_available():\n        return None\n"
        "    import ops_cuda\n    return ops_cuda\n"
    ),
    "a module behind a flag": (
        "import torch\nHAS_CUDA = torch.cuda.is_available()\nif HAS_CUDA:\n    import ops_cuda\n"
    ),
    "the CPU of a load": "import torch\nw = torch.load(f, map_location=None if "
        "torch.cuda.is_available() else 'cpu')\n",
    "the CPU of a load, first": (
        "import torch\nw = torch.load(f, map_location='cpu' if not torch.cuda.is_available() else None)\n"
    ),
    "the CPU of a load, a device": (
        "import torch\nw = torch.load(f, map_location=torch.device('cpu') if not "
        "torch.cuda.is_available() else None)\n"
    ),
    "the CPU of a load, a function": (
        "import torch\nw = torch.load(\n    f, map_location=(lambda s, l: s) if not "
        "torch.cuda.is_available() else None\n)\n"
    ),
    "the CPU of a load, by position": (
        "import torch\nw = torch.load(f, ('cpu' if not torch.cuda.is_available() else None))\n"
    ),
    "the CPU of a load, a variable": (
        "import torch\ndef load(f):\n    place = None if torch.cuda.is_available() else 'cpu'\n"
        "    return torch.load(f, map_location=place)\n"
    ),
    "the CPU of a load, an attribute": (
        "import torch\nclass A:\n    def __init__(self):\n"
        "        self.map_location = 'cpu' if not torch.cuda.is_available() else None\n"
    ),
    "the CPU of a load, a dictionary": (
        "import torch\nkw = {'map_location': None if torch.cuda.is_available() else 'cpu'}\n"
        "w = torch.load(f, **kw)\n"
    ),
    "the CPU of another loader": (
        "import torch\nw = Model.load_from_checkpoint(f, map_location=None if "
        "torch.cuda.is_available() else 'cpu')\n"
    ),
    "a count of devices": (
        "import torch\nw = torch.load(f, map_location='cpu' if torch.cuda.device_count() == 0 else None)\n"
    ),
    "a call of the project's extension": (
        "import torch\nimport nms_cuda\ndef nms(b):\n    if torch.cuda.is_available():\n"
        "        return nms_cuda.run(b)\n    return slow(b)\n"
    ),
    "a tensor for the extension": (
        "import torch\nimport nms_cuda\ndef nms(b):\n    if b.is_cuda:\n        return nms_cuda.run(b)\n"
        "    return slow(b)\n"
    ),
    "a device for the extension": (
        "import torch\nfrom nms_cuda import run\ndef nms(b):\n    if b.device.type == 'cuda':\n"
        "        return run(b)\n    return slow(b)\n"
    ),
    "a tensor for what is compiled": (
        "import torch\nfrom torch.utils.cpp_extension import load\next = load('e', sources=['e.cu'])\n"
        "def f(x):\n    if not x.is_cuda:\n        raise NotImplementedError\n    else:\n"
        "        ext.forward(x)\n"
    ),
    "a tensor for what may be missing": (
        "import torch\ntry:\n    import nms_cuda\nexcept ImportError:\n    nms_cuda = None\n"
        "y = nms_cuda.run(x) if x.is_cuda else slow(x)\n"
    ),
    "the CPU in the other arm": (
        "import torch\nif torch.cuda.is_available():\n    w = torch.load(f)\n"
        "else:\n    w = torch.load(f, map_location='cpu')\n"
    ),
    "the CPU in the first arm": (
        "import torch\nif not torch.cuda.is_available():\n"
        "    w = torch.load(f, map_location=torch.device('cpu'))\n"
        "else:\n    w = torch.load(f)\n"
    ),
}  # fmt: skip

RENAMED = {
    "a variable that chooses more than a package for GPUs": (
        "import torch\ndef f():\n    cuda = torch.cuda.is_available()\n    if cuda:\n        warm()\n"
        "    use('onnxruntime-gpu' if cuda else 'onnxruntime')\n"
    ),
    "an error before a choice that tests for itself": (
        "import torch\nimport pynvml\ndef start(dry):\n    if not torch.cuda.is_available() and not dry:\n"
        "        raise ValueError('no device')\n    if use_nvml():\n        pynvml.nvmlInit()\n"
    ),
    "an error for a device that is named beside": (
        "import torch\nimport ops_cuda\ndef f(where):\n"
        "    if 'cuda' in where and not torch.cuda.is_available():\n        raise ValueError\n"
        "    return ops_cuda.run(where)\n"
    ),
    "a device": "import torch\nd = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
    "a place that is a device": (
        "import torch\nw = torch.load(f, map_location='cuda' if torch.cuda.is_available() else 'cpu')\n"
    ),
    "a choice of None for something else": (
        "import torch\nkw = None if torch.cuda.is_available() else 'cpu'\nf(kw)\n"
    ),
    "a move": "import torch\nif torch.cuda.is_available():\n    model.cuda()\n",
    "a tensor for a kernel of torch": (
        "import torch\nimport nms_cuda\nnms_cuda.run(x)\nif torch.cuda.is_available():\n    y = fast(x)\n"
    ),
    "an import of no CUDA module": (
        "import torch\nif torch.cuda.is_available():\n    from torch.cuda import amp\n    import models\n"
    ),
    "a flag": "import torch\nuse_cuda = torch.cuda.is_available()\nif use_cuda:\n    model.cuda()\n",
    "an error before all that needs it": (
        "import torch\nfrom nms_cuda import run\nif not torch.cuda.is_available():\n"
        "    raise RuntimeError\nmodel.cuda()\nrun(model)\n"
    ),
    "loads with a device": (
        "import torch\nif torch.cuda.is_available():\n    w = torch.load(f)\n    m.cuda()\n"
        "else:\n    w = torch.load(f, map_location='cpu')\n"
    ),
}

UNDECIDED = {
    "the only way to a model with kernels": (
        "import torch\nfrom flash_attn import flash_attn_func\nif torch.cuda.is_available():\n"
        "    model = Net(flash_attn_func).to(device)\n"
    ),
    "a module and a device": (
        "import torch\nif torch.cuda.is_available():\n    import nms_cuda\n"
        "    device = torch.device('cuda')\n"
    ),
    "a flag for a module and a device": (
        "import torch\nHAS = torch.cuda.is_available()\nif HAS:\n    import nms_cuda\nif HAS:\n"
        "    model.cuda()\n"
    ),
}


def migrated(text: str, version: str) -> str:
    return apply_fixes(SourceFile(text), options_from({"version": version})).text


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_a_test_for_cuda_alone_stays(text: str, version: str) -> None:
    assert migrated(text, version) == text


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("text", RENAMED.values(), ids=RENAMED)
def test_a_test_for_the_device_is_renamed(text: str, version: str) -> None:
    new = migrated(text, version)
    assert "torch.cuda.is_available" not in new
    assert "npu.is_available" in new


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("text", UNDECIDED.values(), ids=UNDECIDED)
def test_a_test_for_both_stays_with_a_finding(text: str, version: str) -> None:
    assert "torch.cuda.is_available()" in migrated(text, version)
    findings = check(SourceFile(text), options_from({"version": version}))
    at_test = [item for item in findings if item.start == text.index("torch.cuda.is_available")]
    assert [(item.code, item.fix) for item in at_test] == [("NPU101", None)]


@pytest.mark.parametrize("text", UNDECIDED.values(), ids=UNDECIDED)
def test_a_test_for_both_is_told_once_the_rest_is_migrated(text: str) -> None:
    new = migrated(text, "2.8.0")
    findings = check(SourceFile(new), options_from({"version": "2.8.0"}))
    assert new.index("torch.cuda.is_available") in [item.start for item in findings if item.code == "NPU101"]


def test_where_the_load_is_known_to_fit_the_cpu_both_arms_load_there() -> None:
    new = migrated(RENAMED["loads with a device"], "2.8.0")
    assert new.count("map_location='cpu'") == 2


@pytest.mark.parametrize(
    "flag", ["use_cuda", "cuda_available", "GPU"],
)  # fmt: skip
def test_a_flag_that_comes_to_mean_the_npu_leaves_the_cpu(flag: str) -> None:
    text = (
        f"import torch\n{flag} = torch.cuda.is_available()\n"
        f"w = torch.load(f, map_location=None if {flag} else 'cpu')\nif {flag}:\n    model.cuda()\n"
    )
    new = migrated(text, "2.8.0")
    assert f"{flag} = torch_npu.npu.is_available()" in new
    assert "torch.load(f, map_location='cpu')" in new


@pytest.mark.parametrize(
    ("choice", "arm"),
    [
        ("None if t else 'cpu'", "'cpu'"),
        ("'cpu' if t else None", "'cpu'"),
        ("None if t else torch.device('cpu')", "torch.device('cpu')"),
        ("None if t else 'cuda'", None),
        ("'cuda' if t else 'cpu'", None),
        ("'cpu' if t else 'cpu'", None),
        ("None if t else None", None),
    ],
)
def test_where_a_checkpoint_goes_is_chosen_between_the_cpu_and_nothing(choice: str, arm: str | None) -> None:
    node = SourceFile(f"{choice}\n").root.named_children[0].named_children[0]
    found = cpu_arm(node)
    assert (found.text.decode() if found is not None and found.text is not None else None) == arm


KERNEL = "import torch\nimport ops_cuda\nimport torch.nn.functional as F\n"
ANSWERS = {
    "an if and a return": (
        f"{KERNEL}def on_cuda(x):\n    if x.device.type != 'cuda':\n        return False\n    return True\n"
        "def conv(x, w):\n    if on_cuda(x):\n        return ops_cuda.conv(x, w)\n    return F.conv2d(x, w)\n"
    ),
    "a variable that also chooses a text": (
        f"{KERNEL}def conv(x, w):\n    fast = FAST and x.is_cuda\n"
        '    print(f\'{"CUDA" if fast else "torch"} is used\')\n'
        "    if fast:\n        return ops_cuda.conv(x, w)\n    return F.conv2d(x, w)\n"
    ),
    "an operator of cuDNN": (
        "import torch\ndef grad(x):\n"
        "    return torch._C._jit_get_operation('aten::cudnn_convolution_backward_weight')(x)\n"
        "def f(x):\n    return grad(x) if x.is_cuda else x\n"
    ),
}


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_a_test_before_a_kernel_stays_in_whatever_form_it_is_answered(text: str) -> None:
    assert migrated(text, "2.8.0") == text
