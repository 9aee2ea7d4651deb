"""NPU62x: CUDA extensions that a project builds or loads."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, NameRef, Outline, StringRef
from ...engine.rule import Example, on
from ...flow.guards.fallbacks import has_fallback
from ...flow.libraries import is_of_another_framework
from ...inference.extensions.cuda_sources import LOADERS, SOURCES, given_in_list, names_cuda_source
from ...inference.extensions.setup_scripts import EXTENSIONS, Extension, extensions_of
from ...model.finding import Finding, Severity
from ...renames.named_rule import NamedRule
from ...text.syntax import field, text_of

_BUILDERS = "torch.utils.cpp_extension"
_BESIDE = ("", "csrc", "src", "cuda", "kernels")
"""Where the sources of an extension lie, as seen from the module that builds it."""


def may_build_cuda(outline: Outline) -> bool:
    """Whether a file names a CUDA source, without which nothing in it is given one."""
    return names_cuda_source(outline.source.data)


class CudaExtension(NamedRule):
    """A CUDA extension is built or loaded.

    What it does: Reports ``CUDAExtension``, ``load`` and ``load_inline`` with CUDA sources, also where the
    sources are in variables or given to a function that calls ``load``, and ``torch.ops.load_library``.

    Why it matters on the NPU: CUDA sources cannot be compiled for an NPU, and a library that contains CUDA
    kernels cannot be loaded.

    Example: ``CUDAExtension('ops', ['ops.cpp', 'ops_kernel.cu'])``.

    Use instead: an implementation with PyTorch operators, if the project has one; otherwise an Ascend C
    operator, built with ``torch_npu.utils.cpp_extension.NpuExtension``.
    """

    code = "NPU621"
    examples = (
        Example("from torch.utils.cpp_extension import CUDAExtension\ne = CUDAExtension('a', ['a.cu'])\n"),
        Example(
            "from torch.utils import cpp_extension as ce\nm = ce.load(name='a', sources=['a.cpp', 'b.cu'])\n"
        ),
        Example(
            "from torch.utils.cpp_extension import load_inline\nm = load_inline('a', '', cuda_sources=src)\n"
        ),
        Example(
            "from torch.utils.cpp_extension import load\nfiles = [f for f in ['a.cpp', 'b.cu']]\n"
            "m = load('a', sources=files)\n"
        ),
        Example(
            "from torch.utils.cpp_extension import load\n"
            "def build(name, sources):\n    return load(name, sources)\nm = build('a', ['a.cpp', 'b.cu'])\n"
        ),
        Example("import torch\ntorch.ops.load_library('libops.so')\n"),
        Example("import torch\ntry:\n    torch.ops.load_library('libops.so')\nexcept OSError:\n    pass\n"),
        Example("from .tools import get_plugin\nops = get_plugin('ops', ['ops.cpp', 'ops.cu'])\n"),
        Example(
            "from torch.utils.cpp_extension import CUDAExtension as C\nfrom functools import partial\n"
            "Ext = partial(C, libraries=[])\ne = Ext('p._C', ['k.cu'])\n"
        ),
        Example(
            "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
            "class Build(BuildExtension):\n    def build_extensions(self):\n        try:\n"
            "            super().build_extensions()\n        except Exception as e:\n            print(e)\n"
            "setup(name='x', ext_modules=[CUDAExtension('x._C', ['a.cu'])], cmdclass={'build_ext': Build})\n",
            path="setup.py",
        ),
        Example.unchanged(
            "sources = glob(['*.cu']) + sorted(['a.cu'])\nok = name.endswith(('.cu', '.cpp'))\n"
        ),
        Example.unchanged("from torch.utils.cpp_extension import CppExtension, load\nload('a', ['a.cpp'])\n"),
    )

    @on.name(f"{_BUILDERS}.CUDAExtension")
    def built(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        for item in extensions_of(ctx.source):
            if item.made_of != ref.node or not _is_first(item.call, ref.node, ctx):
                continue
            if item.call == ref.call:
                yield self._built(ref.node, ref.name, ctx, item)
            else:
                yield self._made_of(item, ref.name, ctx)

    @on.name(f"{_BUILDERS}.load", f"{_BUILDERS}.load_inline")
    def loaded(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        builds = ctx.cuda_builds
        for build in builds.of_load(ref.call):
            if build.call == ref.call:
                yield self._built(ref.node, ref.name, ctx)
            elif _is_first(build.call, ref.node, ctx):
                yield self._built(build.function, text_of(build.function), ctx)
        if builds.is_unknown(ref.call):
            sibling = _cuda_file_in_folder(ctx)
            if sibling is not None:
                yield self.report(ref.node, "unknown", Severity.ERROR, api=ref.name, file=sibling)

    @on.keyword(SOURCES, needs=may_build_cuda)
    def given(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        """A function of another file gets what to compile."""
        if ref.callee_name in LOADERS or ref.callee_name in EXTENSIONS or is_of_another_framework(ctx):
            return
        if _is_of_cuda_class(ref.call, ctx):
            return
        function = field(ref.call, "function")
        is_given = ctx.cuda_builds.is_given_cuda(ref.node)
        if function is not None and is_given and _is_first(ref.call, ref.node, ctx):
            yield self._built(function, text_of(function), ctx)

    @on.string(".cu", needs=may_build_cuda)
    def listed(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """The same, by position."""
        call = given_in_list(ref.node)
        function = field(call, "function")
        is_of_torch = function is not None and not is_of_another_framework(ctx)
        if call is None or function is None or not is_of_torch or not _is_first(call, ref.node, ctx):
            return
        if not _is_of_cuda_class(call, ctx):
            yield self._built(function, text_of(function), ctx)

    def _made_of(self, item: Extension, api: str, ctx: Context) -> Finding:
        """An extension whose class is chosen elsewhere: without CUDA it may be one of C++."""
        function = field(item.call, "function") or item.call
        is_of_cpp = has_fallback(item.made_of, ctx) and not item.names_cuda_source
        if is_of_cpp:
            return self.report(function, "fallback", Severity.HINT, api=api, kind="cuda_op")
        return self._built(function, api, ctx, item)

    def _built(self, node: Node, api: str, ctx: Context, item: Extension | None = None) -> Finding:
        if has_fallback(item.call if item is not None else node, ctx):
            return self.report(node, "fallback", Severity.HINT, api=api, kind="cuda_op")
        from ...flow.guards.chosen_builds import is_built_by_choice, may_fail

        if item is not None and may_fail(ctx.source):
            return self.report(node, "survived", Severity.HINT, api=api, kind="cuda_op")
        is_chosen = has_fallback(node, ctx, by_default=True)
        if is_chosen or (item is not None and is_built_by_choice([item], ctx)):
            return self.report(node, "optional", Severity.INFORMATION, api=api, kind="cuda_op")
        return self.report(node, "built", Severity.ERROR, api=api, kind="cuda_op")


def _is_of_cuda_class(call: Node, ctx: Context) -> bool:
    """Whether a call makes an extension of a class for CUDA, which is reported as one."""
    return any(item.call == call and not item.is_of_c for item in extensions_of(ctx.source))


def _is_first(call: Node, place: Node, ctx: Context) -> bool:
    """Whether a call that is found from several places is found from this one first: it is reported once."""
    return ctx.is_first(("build of CUDA sources", call.id), place)


def _cuda_file_in_folder(ctx: Context) -> str | None:
    """A CUDA source that lies beside the file, as a path from there."""
    start = ctx.source.path.rpartition("/")[0]
    for below in _BESIDE:
        directory = "/".join(part for part in (start, below) if part)
        for name in ctx.project.names_in(directory):
            if name.endswith((".cu", ".cuh")):
                return f"{below}/{name}" if below else name
    return None
