"""Functions of C++ and CUDA sources: names, lines, and what is kept of their bodies."""

from __future__ import annotations

import pytest

from gpu2ascend.project.kernels.cpp_text import functions_of

SOURCE = """\
// __global__ void in_a_comment() {}
#include <cuda.h>
namespace a { namespace {
template <typename T, int N>
__global__ void __launch_bounds__(N, (1 + 1)) add_kernel(
    const T* x, T* y) {
  if (threadIdx.x < 4) { y[0] = x[0]; }
  printf("} not a brace");
}
__global__ void declared(float* x);
}}
struct Op {
  __device__ float operator()(float x) const { return x; }
};
extern "C" void launch(float* x) {
  add_kernel<float, 4><<<1, 2>>>(x, x);
}
"""


def test_kernels_and_host_functions_have_their_lines() -> None:
    found = {item.name: item for item in functions_of(SOURCE)}
    assert (found["add_kernel"].first_line, found["add_kernel"].last_line) == (4, 9)
    assert found["add_kernel"].is_kernel and not found["launch"].is_kernel
    assert (found["launch"].first_line, found["launch"].last_line) == (15, 17)
    assert not {"declared", "in_a_comment", "if"} & found.keys()


def test_of_alternatives_the_first_counts() -> None:
    kernel = "#if A\n__global__ void k(int x) {\n#else\n__global__ void k(long x) {\n#endif\n  x;\n}\n"
    code = f"{kernel}void f() {{ k; }}\n"
    found = functions_of(code)
    assert [(item.name, item.first_line, item.last_line) for item in found] == [("k", 2, 7), ("f", 8, 8)]


def test_a_macro_that_makes_kernels_is_one() -> None:
    code = "#define MAKE(name) \\\n  __global__ void name##_k(float* x) { \\\n    x[0] = 1; }\nMAKE(a)\n"
    (found,) = functions_of(code)
    assert found.is_macro and found.name == "MAKE" and (found.first_line, found.last_line) == (1, 3)


def test_a_class_of_autograd_stands_for_its_methods() -> None:
    method = "  static int forward() { return sum_cuda(); }\n"
    code = f"class Sum : public torch::autograd::Function<Sum> {{\n{method}}};\n"
    assert {item.name for item in functions_of(code)} == {"Sum", "forward"}


@pytest.mark.parametrize("code", ["", "{{{{", "__global__", "void f( {", '"', "/*", "#if\n{"])
def test_any_text_is_survived(code: str) -> None:
    assert all(item.name for item in functions_of(code))
    assert [item.name for item in functions_of(f"void g() {{}}\n{code}")][:1] == ["g"]
