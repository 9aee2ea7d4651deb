"""Tests that choose between a CUDA kernel and another way: they stay, and the NPU takes the other way."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.flow.guards.needing import needs
from gpu2ascend_rules.model.finding import Finding, Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
TRIES = "try:\n    import pn_cuda\nexcept ImportError:\n    pn_cuda = None\n"
IMPORTED = f"import torch\n{TRIES}def k_cpu(x):\n    return x * 2\n"
KERNELS = f"""\
{IMPORTED}class Fps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return pn_cuda.fps(x)
"""
"""A kernel in an autograd function, and its twin."""
CALLED = f"{KERNELS}def k_cuda(x):\n    return Fps.apply(x)\n"
"""The same with a function around it."""
LOADED = """\
import torch
from torch.utils.cpp_extension import load
plugin = None
def init():
    global plugin
    plugin = load('p', ['p.cpp', 'p.cu'])
    return True
def k_cuda(x):
    return plugin.run(x)
def k_cpu(x):
    return x * 2
"""
TRIED = """\
import torch
import torch.nn.functional as F
HAS = True
try:
    from flash_attn import flash_attn_func
    import xformers.ops as xops
except ImportError:
    HAS = False
"""
TRITON = """\
import torch, triton
import triton.language as tl
@triton.jit
def kernel(x, n):
    pass
def k_cuda(x):
    kernel[(1,)](x, 1)
    return x
def k_cpu(x):
    return x * 2
"""

STAY = {
    "a conditional expression": f"{KERNELS}def f(x):\n    return Fps.apply(x) if x.is_cuda else k_cpu(x)\n",
    "a return": (
        f"{KERNELS}def f(x):\n    if x.device.type == 'cuda': return Fps.apply(x)\n"
        "    return k_cpu(x)\n"
    ),
    "a function that is chosen": (
        f"{CALLED}def f(x):\n    g = k_cuda if x.is_cuda else k_cpu\n    return g(x)\n"
        ""
    ),
    "a function that is chosen by statements": (
        f"{KERNELS}fast = Fps.apply\ndef f(x):\n    if x.is_cuda:\n        g = fast\n    else:\n"
        "        g = k_cpu\n    return g(x)\n"
    ),
    "the other way first": (
        f"{CALLED}def f(x):\n    if x.device.type != 'cuda': return k_cpu(x)\n    return k_cuda(x)\n"
    ),
    "a negation among several": (
        f"{CALLED}def f(x, n):\n    if n: return x\n    elif not x.is_cuda: return k_cpu(x)\n"
        "    return k_cuda(x)\n"
    ),
    "a flag": f"{CALLED}def f(x):\n    fast = x.is_cuda\n    return k_cuda(x) if fast else k_cpu(x)\n",
    "a flag of an object": (
        f"{CALLED}class M:\n    def __init__(self):\n        self.fast = torch.cuda.is_available()\n"
        "    def f(self, x):\n        if self.fast: return k_cuda(x)\n        return k_cpu(x)\n"
    ),
    "a function that tests": (
        f"{CALLED}def can(x):\n    return pn_cuda is not None and x.is_cuda\n"
        "def f(x):\n    return k_cuda(x) if can(x) else k_cpu(x)\n"
    ),
    "a case": (
        f"{CALLED}def f(x):\n    match x.device.type:\n        case 'cuda':\n            return k_cuda(x)\n"
        "        case _:\n            return k_cpu(x)\n"
    ),
    "a step that may be left out": (
        f"{CALLED}def f(x):\n    if x.is_cuda:\n        x = k_cuda(x)\n    return x\n"
        ""
    ),
    "a plug-in that is built when it is needed": (
        f"{LOADED}def f(x, impl='cuda'):\n    if impl == 'cuda' and x.device.type == 'cuda' and init():\n"
        "        return k_cuda(x)\n    return k_cpu(x)\n"
    ),
    "a plug-in that a function gives": (
        "import torch\nfrom torch.utils.cpp_extension import load\ndef get():\n"
        "    return load('p', ['p.cpp', 'p.cu'])\ndef f(x):\n"
        "    if x.is_cuda: return get().run(x)\n    return x\n"
    ),
    "a library that may be missing": (
        f"{TRIED}def f(q):\n    if HAS and q.is_cuda: return flash_attn_func(q, q, q)\n"
        "    return F.scaled_dot_product_attention(q, q, q)\n"
    ),
    "another library": (
        f"{TRIED}def f(q):\n    if HAS and q.device.type == 'cuda':\n"
        "        return xops.memory_efficient_attention(q, q, q)\n"
        "    return F.scaled_dot_product_attention(q, q, q)\n"
    ),
    "a kernel of Triton": f"{TRITON}def f(x):\n    if x.is_cuda: return k_cuda(x)\n    return k_cpu(x)\n",
    "a method": (
        f"{IMPORTED}class M(torch.nn.Module):\n    def forward(self, x):\n"
        "        return self.fast(x) if x.is_cuda else k_cpu(x)\n"
        "    def fast(self, x):\n        return pn_cuda.fps(x)\n"
    ),
    "a layer that is chosen": (
        f"{CALLED}class Fast(torch.nn.Module):\n    def forward(self, x):\n        return k_cuda(x)\n"
        "def make():\n    return Fast() if torch.cuda.is_available() else torch.nn.Identity()\n"
    ),
    "a decorated function": (
        f"{IMPORTED}import functools\n@functools.lru_cache\ndef run(x):\n    return pn_cuda.fps(x)\n"
        "def f(x):\n    return run(x) if x.is_cuda else k_cpu(x)\n"
    ),
    "a partial function": (
        f"{CALLED}import functools\nrun = functools.partial(k_cuda)\n"
        "def f(x):\n    return run(x) if x.is_cuda else k_cpu(x)\n"
    ),
    "a table with a default": (
        f"{CALLED}OPS = {{'cuda': k_cuda, 'cpu': k_cpu}}\n"
        "def f(x):\n    return OPS.get(x.device.type, k_cpu)(x)\n"
    ),
    "a table by a test": f"{CALLED}def f(x):\n    return (k_cpu, k_cuda)[x.is_cuda](x)\n",
}  # fmt: skip

EDITED = {
    "an arm that needs no CUDA": f"{KERNELS}def f(x):\n    if x.is_cuda: return k_cpu(x)\n    return x\n",
    "a kernel behind the test": (
        f"{CALLED}def f(x):\n    if x.is_cuda:\n        x = x.half()\n    return k_cuda(x)\n"
        ""
    ),
    "a function with another way": (
        f"{KERNELS}def both(x):\n    if pn_cuda is not None: return pn_cuda.fps(x)\n    return x\n"
        "def f(x):\n    if x.is_cuda: return both(x)\n    return x.float()\n"
    ),
    "a function that goes another way first": (
        f"{KERNELS}def both(x):\n    if pn_cuda is None: return x\n    return pn_cuda.fps(x)\n"
        "def f(x):\n    if x.is_cuda: return both(x)\n    return x.float()\n"
    ),
    "a table without kernels": "import torch\ndef f(x):\n    return (1, 2)[x.is_cuda]\n",
}  # fmt: skip

WITHOUT_OTHER_WAY = {
    "the other arm raises": (
        f"{LOADED}def f(x):\n    if x.is_cuda: return k_cuda(x)\n    raise NotImplementedError\n"
    ),
    "the first arm raises": (
        f"{LOADED}def f(x):\n    if not x.is_cuda: raise NotImplementedError\n    return k_cuda(x)\n"
    ),
    "both arms need it": (
        f"{LOADED}def f(x):\n    if x.is_cuda: return k_cuda(x)\n    return plugin.other(x)\n"
        ""
    ),
    "a use without a test": (
        f"{LOADED}def f(x):\n    if x.is_cuda: return k_cuda(x)\n    return k_cpu(x)\ndef g(x):\n"
        "    return k_cuda(x)\n"
    ),
    "a value of the arm alone": (
        f"{LOADED}def f(x):\n    if x.is_cuda:\n        y = k_cuda(x)\n    return y\n"
    ),
    "nobody uses it": LOADED,
}  # fmt: skip


def found(text: str) -> tuple[Finding, ...]:
    return check(SourceFile(text), OPTIONS)


def errors(text: str) -> list[str]:
    return [item.code for item in found(text) if item.severity is Severity.ERROR]


@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0"])
@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_a_test_stays_where_its_arm_needs_cuda(text: str, version: str) -> None:
    assert apply_fixes(SourceFile(text), options_from({"version": version})).text == text


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_what_is_behind_it_prevents_nothing(text: str) -> None:
    assert errors(text) == []


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_it_is_said_that_the_npu_takes_the_other_way(text: str) -> None:
    required = text.replace(TRIES, "import pn_cuda\n")
    messages = [item.message.id.partition(".")[2] for item in found(required)]
    imports = ["imported"] if required != text else []
    assert messages[: len(imports)] == imports
    assert set(messages[len(imports) :]) == {"fallback"}


@pytest.mark.parametrize("text", EDITED.values(), ids=EDITED)
def test_other_tests_come_to_mean_the_npu(text: str) -> None:
    assert apply_fixes(SourceFile(text), OPTIONS).text == text.replace("x.is_cuda", "x.is_npu") != text


@pytest.mark.parametrize("text", WITHOUT_OTHER_WAY.values(), ids=WITHOUT_OTHER_WAY)
def test_without_another_way_it_is_an_error(text: str) -> None:
    assert "NPU622" in errors(text)


def test_a_table_that_has_nothing_for_the_npu_is_an_error_with_what_the_cpu_has() -> None:
    text = f"{CALLED}OPS = {{'cuda': k_cuda, 'cpu': k_cpu}}\ndef f(x):\n    return OPS[x.device.type](x)\n"
    assert apply_fixes(SourceFile(text), OPTIONS).text == text
    assert errors(text) == ["NPU204"]
    unsafe = options_from({"version": "2.8.0", "unsafe_fixes": True})
    new = apply_fixes(SourceFile(text), unsafe).text
    assert new == text.replace("'cuda': k_cuda,", "'cuda': k_cuda, 'npu': k_cpu,")


def test_only_functions_with_a_use_of_a_kernel_are_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    without_alternatives = needs.without_alternatives

    def noted(definition: Node, missing: frozenset[str]) -> object:
        looked.append(needs.text_of(needs.field(definition, "name")))
        return without_alternatives(definition, missing)

    monkeypatch.setattr(needs, "without_alternatives", noted)
    plain = "".join(f"def plain_{number}(x):\n    return x + 1\n" for number in range(9))
    chosen = "def f(x):\n    if x.is_cuda:\n        return k_cuda(x)\n    return k_cpu(x)\n"
    check(SourceFile(CALLED + plain + chosen), OPTIONS)
    assert sorted(looked) == ["f", "forward", "k_cuda"]


MMCV = """\
import torch
from mmcv.utils import ext_loader
ext = ext_loader.load_ext('_ext', ['attend'])
def f(x):
    if x.is_cuda:
        return ext.attend(x)
    return x + 1
"""


@pytest.mark.parametrize(("target", "stays"), [("accelerator", True), ("torch_npu", False)])
def test_kernels_that_mmcv_loads_are_for_cuda_and_the_npu(target: str, stays: bool) -> None:
    options = options_from({"version": "2.8.0", "target": target})
    assert ("x.is_cuda" in apply_fixes(SourceFile(MMCV), options).text) is stays


@pytest.mark.parametrize(
    ("test", "calls"),
    [("x.is_cuda", True), ("torch.cuda.is_available()", True), ("x.device.type == 'cuda'", False)],
)
def test_transfer_to_npu_answers_the_tests_that_it_replaces(test: str, calls: bool) -> None:
    text = f"import torch\nimport nms_cuda\ndef f(x):\n    if {test}: return nms_cuda.run(x)\n    return x\n"
    required = ["NPU622.imported"]
    for options in (OPTIONS, options_from({"version": "2.8.0", "auto": True})):
        findings = check(SourceFile(text), options)
        ids = [item.message.id for item in findings if item.severity is Severity.ERROR]
        assert ids == [*required, *(["NPU622.called"] if calls and options is not OPTIONS else [])]
