"""Kernels of a project: features, callers, guarded imports, effort and total."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.kernels.model import SizedKernel, effort_of, total_of
from gpu2ascend.project.kernels.sized import sized_kernels

KERNEL = """\
#include "warp.cuh"
__global__ void reduce_kernel(const float* x, float* y) {
  __shared__ float part[32];
  y[0] = warp_sum(x[0]);
}
void reduce_cuda(float* x) { reduce_kernel<<<1, 1>>>(x, x); }
"""
HEADER = "template <typename T> __device__ T warp_sum(T x) { atomicAdd(&x, x); return x; }\n"
BINDING = (
    'void reduce(float* x) { reduce_cuda(x); }\nPYBIND11_MODULE(a, m) { m.def("reduce", &reduce, "doc"); }\n'
)
SETUP = (
    "from torch.utils.cpp_extension import CUDAExtension\ne = CUDAExtension('pkg.fast', ['a.cpp', 'a.cu'])\n"
)
USE = "from pkg import fast\n\ndef total(x):\n    return fast.reduce(x)\n"
GUARDED = (
    "try:\n    from pkg import fast\nexcept ImportError:\n    fast = None\n\n"
    "def f(x):\n    return fast.reduce(x)\n"
)
TRITON = """\
import triton
import triton.language as L

@triton.autotune(configs=[], key=[])
@triton.jit
def dot_kernel(x):
    L.dot(x, x)

@triton.jit
def add_kernel(x):
    L.store(x, 1)

def run(x):
    add_kernel[(1,)](x)
"""
INLINE = (
    "from torch.utils.cpp_extension import load_inline\n\n"
    "source = '''\n__global__ void k(float* x) { x[0] = 1; }\n"
    "void go(float* x) { k<<<1, 1>>>(x); }\n'''\nmod_ext = load_inline('mod_ext', '', cuda_sources=source)\n"
    "mod_ext.go(1)\n"
)


def kernels(folder: Path, **files: str) -> dict[str, SizedKernel]:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return {item.name: item for item in sized_kernels(folder)}


def test_a_kernel_has_the_features_of_the_helpers_that_it_calls(tmp_path: Path) -> None:
    found = kernels(tmp_path, a__cu=KERNEL, warp__cuh=HEADER)["reduce_kernel"]
    assert (found.path, found.first_line, found.lines) == ("a.cu", 2, 4)
    assert found.features == ("shared_memory", "atomics")
    assert (found.effort, found.way) == ("M", "atomics")


def test_its_callers_are_found_through_the_binding(tmp_path: Path) -> None:
    found = kernels(tmp_path, a__cu=KERNEL, a__cpp=BINDING, setup__py=SETUP, use__py=USE)["reduce_kernel"]
    assert [tuple(caller) for caller in found.callers] == [("use.py", 4, "total")]
    assert not found.has_fallback


def test_a_guarded_import_is_said(tmp_path: Path) -> None:
    found = kernels(tmp_path, a__cu=KERNEL, a__cpp=BINDING, setup__py=SETUP, use__py=GUARDED)["reduce_kernel"]
    assert found.has_fallback and total_of((found,)).with_fallback == 1


def test_a_name_on_something_else_is_no_caller(tmp_path: Path) -> None:
    other = "import torch\n\ndef total(x):\n    return x.reduce(x)\n"
    found = kernels(tmp_path, a__cu=KERNEL, a__cpp=BINDING, setup__py=SETUP, use__py=other)["reduce_kernel"]
    assert found.callers == ()
    assert kernels(tmp_path, use__py=USE)["reduce_kernel"].callers


def test_triton_kernels_by_whatever_name_the_language_has(tmp_path: Path) -> None:
    found = kernels(tmp_path, ops__py=TRITON)
    assert found["dot_kernel"].features == ("dot", "autotune") and found["dot_kernel"].way == "triton_dot"
    assert (found["add_kernel"].effort, found["add_kernel"].first_line) == ("XS", 9)
    assert [caller.line for caller in found["add_kernel"].callers] == [14]
    assert not found["dot_kernel"].callers


def test_a_source_in_a_string_has_the_lines_of_its_file(tmp_path: Path) -> None:
    found = kernels(tmp_path, inline__py=INLINE)["k"]
    assert (found.path, found.first_line) == ("inline.py", 4)
    assert [caller.line for caller in found.callers] == [8]


def test_a_project_without_kernels_has_none(tmp_path: Path) -> None:
    assert kernels(tmp_path, use__py=USE, a__cpp=BINDING) == {}
    assert kernels(tmp_path, a__cu=KERNEL) != {}


@pytest.mark.parametrize(
    ("words", "features", "way", "effort"),
    [
        ("flash_fwd_kernel", ("tensor_cores",), "attention", "L"),
        ("multi_tensor_adam", (), "optimizer", "S"),
        ("RoIAlignForward", ("atomics",), "listed", "S"),
        ("softmax_kernel", ("shared_memory",), "norm", "M"),
        ("gemm", ("shared_memory", "tensor_cores"), "tensor_cores", "L"),
        ("k", ("shared_memory",), "reduction", "M"),
        ("k", (), "elementwise", "S"),
    ],
)
def test_the_table_decides_by_name_then_by_what_it_is_made_of(
    words: str, features: tuple[str, ...], way: str, effort: str
) -> None:
    found = effort_of("cuda", words, features)
    assert (found.way, found.effort) == (way, effort)


def test_the_total_adds_up(tmp_path: Path) -> None:
    total = total_of(tuple(kernels(tmp_path, a__cu=KERNEL, ops__py=TRITON).values()))
    assert (total.kernels, dict(total.by_effort)) == (3, {"XS": 1, "S": 1, "M": 1, "L": 0})
    assert total.low < total.high


def test_only_a_kernel_that_a_macro_makes_is_said_to_be_of_one(tmp_path: Path) -> None:
    macro = "#define OP(name) \\\n__global__ void name##_kernel(float* x) { \\\n  x[0] = 1; \\\n}\nOP(add)\n"
    found = kernels(tmp_path, a__cu=KERNEL, b__cu=macro, c__py=TRITON)
    marked = {name: item.is_macro for name, item in found.items()}
    assert marked.pop(next(name for name in marked if "##" in name or name == "OP")) is True
    assert marked == {"reduce_kernel": False, "dot_kernel": False, "add_kernel": False}
