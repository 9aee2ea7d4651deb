"""NPU62x: CUDA extensions that a project builds or loads."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Family, Rule, on
from ...model.finding import Finding, Severity
from ...text.syntax import text_of

_BUILDERS = "torch.utils.cpp_extension"


class CudaExtension(Rule):
    """A CUDA extension is built or loaded.

    What it does: Reports ``CUDAExtension``, ``load`` and ``load_inline`` with CUDA sources, and
    ``torch.ops.load_library``.

    Why it matters on the NPU: CUDA sources cannot be compiled for an NPU, and a library that contains CUDA
    kernels cannot be loaded.

    Example: ``CUDAExtension('ops', ['ops.cpp', 'ops_kernel.cu'])``.

    Use instead: an implementation with PyTorch operators, if the project has one; otherwise an Ascend C
    operator, built with ``torch_npu.utils.cpp_extension.NpuExtension``.
    """

    code = "NPU621"
    name = "cuda-extension"
    family = Family.KERNEL
    examples = (
        Example(
            "from torch.utils.cpp_extension import CUDAExtension\ne = CUDAExtension('a', ['a.cu'])\n",
            manual=True,
        ),
        Example(
            "from torch.utils import cpp_extension as ce\nm = ce.load(name='a', sources=['a.cpp', 'b.cu'])\n",
            manual=True,
        ),
        Example(
            "from torch.utils.cpp_extension import load_inline\nm = load_inline('a', '', cuda_sources=src)\n",
            manual=True,
        ),
        Example("import torch\ntorch.ops.load_library('libops.so')\n", manual=True),
        Example.unchanged("from torch.utils.cpp_extension import CppExtension, load\nload('a', ['a.cpp'])\n"),
    )

    @on.name(f"{_BUILDERS}.CUDAExtension")
    def built(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None:
            yield self._extension(ref, "built")

    @on.name(f"{_BUILDERS}.load", f"{_BUILDERS}.load_inline")
    def loaded(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        is_cuda = ref.arguments.keyword("cuda_sources") is not None
        if is_cuda or any(_names_cuda_source(item.value) for item in ref.arguments.items):
            yield self._extension(ref, "built")

    @on.name("torch.ops.load_library")
    def library(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None:
            yield self._extension(ref, "loaded")

    def _extension(self, ref: NameRef, key: str) -> Finding:
        return self.report(ref.node, key, Severity.ERROR, api=ref.name, kind="cuda_op")


def _names_cuda_source(value: Node) -> bool:
    text = text_of(value)
    return any(f"{ending}{quote}" in text for ending in (".cu", ".cuh") for quote in "'\"")
