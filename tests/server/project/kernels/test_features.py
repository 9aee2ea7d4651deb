"""What kernels are made of, by the words of their code and of the helpers that they call."""

from __future__ import annotations

import pytest

from gpu2ascend.project.kernels.cpp_text import functions_of
from gpu2ascend.project.kernels.features import features_of_kernel, features_of_triton


def features(body: str, **helpers: str) -> tuple[str, ...]:
    (kernel,) = functions_of(f"__global__ void k(float* x) {{ {body} }}\n")
    return features_of_kernel(kernel, helpers)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("__shared__ float part[32];", ("shared_memory",)),
        ("__syncthreads();", ("synchronisation",)),
        ("y = __shfl_down_sync(m, y, 1);", ("warp",)),
        ("auto b = cg::this_thread_block();", ("warp",)),
        ("atomicAdd(x, 1);", ("atomics",)),
        ("gpuAtomicMax(x, 1);", ("atomics",)),
        ("wmma::fill_fragment(a, 0);", ("tensor_cores",)),
        ("cub::Sum();", ("cub",)),
        ("cublasSgemm(h);", ("libraries",)),
        ("child<<<1, 1>>>(x);", ("runtime",)),
        ('asm volatile ("nop;");', ("assembly",)),
        ("double z = 1;", ("double",)),
        ("x[0] = 1;", ()),
        ("double_it(x); my__shared__ = 1;", ()),
        ("atomicAdd(x, 1); __shared__ double y;", ("shared_memory", "atomics", "double")),
    ],
)
def test_the_words_of_a_kernel_say_what_it_is_made_of(body: str, expected: tuple[str, ...]) -> None:
    assert features(body) == expected


def test_helpers_that_are_called_count_and_others_do_not() -> None:
    helpers = {"sum": "atomicAdd(x, 1);", "cast": "double y;", "other": "__shared__ int z;"}
    assert features("sum(x); cast<float>(x); other[0] = 1;", **helpers) == ("atomics", "double")
    assert features("sum(x);") == ()


def test_three_steps_are_followed_and_circles_end() -> None:
    helpers = {
        "one": "two(x); __shared__ int z;",
        "two": "three(x); one(x); atomicAdd(x, 1);",
        "three": "four(x); double y;",
        "four": "__syncthreads();",
    }
    assert features("one(x);", **helpers) == ("shared_memory", "atomics", "double")


@pytest.mark.parametrize(
    ("code", "decorators", "expected"),
    [
        ("tl.dot(a, b)", "@triton.jit", ("dot",)),
        ("tl.atomic_add(p, 1)", "@triton.jit", ("atomics",)),
        ("tl.sum(x) + tl.max(x)", "@triton.jit", ("reduction",)),
        ("x.to(tl.float64)", "@triton.jit", ("wide_types",)),
        ("tl.make_block_ptr(p)", "", ("block_pointer",)),
        ("tl.store(p, 1)", "@triton.jit", ()),
        ("tl.dotted(a)", "", ()),
        ("tl.store(p, 1)", "@triton.autotune(configs=[]) @triton.jit", ("autotune",)),
        ("tl.sum(tl.dot(a, b))", "@triton.autotune()", ("dot", "reduction", "autotune")),
        ("autotune = 1", "", ()),
    ],
)
def test_the_words_of_a_triton_kernel(code: str, decorators: str, expected: tuple[str, ...]) -> None:
    assert features_of_triton(code, decorators) == expected
