"""NPU1401: sources that are compiled for CUDA."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...kinds.cpp.places import CudaUse, Sign
from ...model.finding import Finding, Severity
from .builds import Left, built_by, including, left_by


class CudaSource(Rule):
    """A source in C++ needs CUDA to compile.

    What it does: Reports each CUDA source (``.cu``, ``.cuh``), and each source in C++ that includes a header
    of CUDA or its libraries, or has code for a GPU, at the first place that shows it. It is an error if
    ``setup.py``, ``CMakeLists.txt`` or a Python file beside it names the file, and builds it in any case; it
    is a hint if the NPU takes another way than the one that builds it, and information if it does so as long
    as no setting is changed. The list of kernels names what
    such files define.

    Why it matters on the NPU: No compiler for an NPU takes CUDA C++, and the headers belong to the CUDA
    toolkit: what the file implements is missing until it is written for the NPU.

    Example: ``__global__ void add(float* x)`` in ``add.cu``.

    Use instead: an implementation with PyTorch operators; otherwise an Ascend C operator, built with
    ``torch_npu.utils.cpp_extension.NpuExtension``. For streams and guards in C++, the headers of torch_npu.
    """

    code = "NPU1401"
    words = ("",)
    example_path = "op.cpp"
    examples = (
        Example("__global__ void add(float* x) { x[0] += 1; }\n", path="add.cu"),
        Example("#include <torch/extension.h>\n#include <cuda_runtime.h>\n", path="bind.cpp"),
        Example("#include <ATen/cuda/CUDAContext.h>\n"),
        Example('#include "c10/cuda/CUDAGuard.h"\n', path="op.h"),
        Example("// nothing of CUDA is named\nint one() { return 1; }\n", path="one.cu"),
        Example.unchanged(
            '#include <torch/extension.h>\n// #include <cuda.h>\nconst char* s = "__global__";\n'
        ),
    )

    @on.place(CudaUse)
    def needs_cuda(self, place: CudaUse, ctx: PlaceContext) -> Iterator[Finding]:
        """One finding a file, unless it belongs to another framework."""
        framework = ctx.project.main_framework(ctx.file.path)
        if framework not in ("", "torch") and "torch" not in ctx.file.text:
            return
        builder, is_on_every_machine, ways = _building(ctx)
        if ways == {Left.OUT}:
            yield self.report(place, "fallback", Severity.HINT, file=builder)
        elif ways and Left.NOT not in ways:
            yield self.report(place, "optional", Severity.INFORMATION, file=builder)
        elif is_on_every_machine:
            yield self.report(place, "built", Severity.ERROR, file=builder)
        elif place.sign is Sign.NAME:
            yield self.report(place, "source", Severity.WARNING)
        else:
            is_own = place.sign is Sign.HEADER and _is_of_project(place.text, ctx)
            sign = Sign.CODE if is_own else place.sign
            yield self.report(place, sign.value, Severity.WARNING, text=place.text)


def _building(ctx: PlaceContext) -> tuple[str, bool, set[Left]]:
    """What builds a source, or the sources that include a header; whether it builds it on every machine, and
    what becomes of it on the NPU."""
    path = ctx.file.path
    own = dict(built_by(ctx.project, path))
    builders = [(path, builder) for builder in own]
    if not own:
        for source in including(ctx.project, path):
            builders += [(source, builder) for builder, _ in built_by(ctx.project, source)]
    always = [builder for builder, is_on_every_machine in own.items() if is_on_every_machine]
    builder = next(iter(always or [name for _, name in builders]), "")
    return builder, bool(always), {left_by(name, ctx, source) for source, name in builders}


def _is_of_project(header: str, ctx: PlaceContext) -> bool:
    """Whether the project has a header, as seen from a source or from a folder above it."""
    folder, _, name = header.rpartition("/")
    above = ctx.file.path
    while above:
        above = above.rpartition("/")[0]
        if name in ctx.project.names_in(posixpath.normpath(posixpath.join(above, folder)).removeprefix(".")):
            return True
    return False
