"""Kernels in CUDA sources."""

from __future__ import annotations

import pytest

from gpu2ascend.project.index.kernels import kernel_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void add(float* a) {}", ("add",)),
        ("template <typename T>\n__global__ void add(T* a);", ("add",)),
        ("static __global__ void\nadd_kernel (const int n)", ("add_kernel",)),
        ("__global__ void __launch_bounds__(256, 2) add(float* a)", ("add",)),
        ("__global__ __launch_bounds__(max(1, N)) void add(float* a)", ("add",)),
        ('extern "C" __global__ void a(int x) {}\n__global__ void b() {}', ("a", "b")),
        ("__global__ void add(int a);\n__global__ void add(int a) {}", ("add",)),
        ("template <> __global__ void add<float>(float* a) {}", ("add",)),
        ("// __global__ void old(int a)\n/* __global__ void older(int a) */", ()),
        ('const char* text = "__global__ void quoted(int a)";', ()),
        ("__device__ void helper(int a) {}", ()),
        ("void launch() { add<<<1, 2>>>(a); }", ()),
    ],
)
def test_kernels_are_named_once_in_order(text: str, names: tuple[str, ...]) -> None:
    assert kernel_names(text) == names
