"""A C++ source shows by one place that it needs CUDA: a header, code for a device, or its name."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.cpp.places import CudaUse, Sign
from gpu2ascend_rules.kinds.registry import kind_file


def uses(text: str, path: str = "op.cpp") -> list[CudaUse]:
    file = kind_file(path, text)
    assert file is not None
    return [place for place in file.places() if isinstance(place, CudaUse)]


@pytest.mark.parametrize(
    "header",
    [
        *("cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.hpp", "cublas_v2.h"),
        *(
            "cublasLt.h",
            "cudnn.h",
            "nccl.h",
            "ATen/cuda/CUDAContext.h",
            "c10/cuda/CUDAStream.h",
            "kernels.cuh",
        ),
        *("torch/csrc/cuda/Stream.h", "thrust/sort.h", "cutlass/gemm/gemm.h", "ATen/native/cuda/Loops.h"),
    ],
)
@pytest.mark.parametrize("quotes", ["<>", '""'])
def test_a_header_of_cuda_is_one(header: str, quotes: str) -> None:
    text = f"#pragma once\n  #  include {quotes[0]}{header}{quotes[1]}\n#include <nccl.h>\n"
    (use,) = uses(text)
    assert use.sign is Sign.HEADER and use.text == header == text[use.start : use.end]


@pytest.mark.parametrize(
    "text",
    [
        *("#include <torch/extension.h>\n", "#include <vector>\nint f();\n", "// #include <cuda.h>\n"),
        *("/*\n#include <cuda.h>\n*/\n", 'const char *s = "__global__";\n', "a << b; x <<<= 3;\n", ""),
    ],
)
def test_other_text_is_none(text: str) -> None:
    assert uses(text) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("__global__ void f() {}\n", "__global__"),
        ("// __global__\n__device__ int g();\n", "__device__"),
        ("void h() { f<<<grid, block, 0, stream>>>(x); }\n", "<<<"),
    ],
)
def test_code_for_a_device_is_one(text: str, shown: str) -> None:
    (use,) = uses(text)
    assert (use.sign, use.text, text[use.start : use.end]) == (Sign.CODE, shown, shown)


_ARMS = "#ifdef {}\n#if X\n#endif\n#include <cuda.h>\n#define CALLED __device__\n#else\n{}\n#endif\n"


@pytest.mark.parametrize(
    ("condition", "other", "path", "count"),
    [
        ("__CUDACC__", "", "a.h", 0),
        ("__CUDA_ARCH__", "", "a.cpp", 0),
        ("__CUDACC__", "#include <nccl.h>", "a.h", 1),
        ("WITH_CUDA", "", "a.h", 1),
        ("__CUDACC__", "", "a.cu", 1),
    ],
)
def test_what_only_the_compiler_of_cuda_sees_is_none(
    condition: str, other: str, path: str, count: int
) -> None:
    assert len(uses(_ARMS.format(condition, other), path)) == count


@pytest.mark.parametrize("path", ["a.cu", "deep/A.CUH"])
def test_a_cuda_source_is_one_by_its_name(path: str) -> None:
    (use,) = uses("\n int f();\n", path)
    assert (use.sign, use.start) == (Sign.NAME, 2)


def test_a_comment_silences() -> None:
    file = kind_file("op.cpp", "#include <cuda.h>  // gpu2ascend: ignore[NPU1401]\n")
    assert file is not None
    at = file.data.index(b"gpu2ascend")
    assert file.comment_at(at, at + 10) == "// gpu2ascend: ignore[NPU1401]"
