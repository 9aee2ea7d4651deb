"""NPU622: the project's own CUDA extensions, where they are imported and called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import ImportRef, KeywordRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on
from ...engine.scan import imported_name
from ...facts.packages.operator_texts import advice
from ...facts.packages.operators import operator_named
from ...flow.guards.fallbacks import Fallbacks, has_fallback
from ...flow.guards.needing.needs import runs_on_cpu
from ...flow.guards.needing.own_code import (
    LOADED_NAMES,
    handed_modules,
    is_compiled_in,
    load_of,
    own_operators,
)
from ...flow.guards.ways import Way, way_of_import, way_of_use
from ...flow.libraries import extension_module, is_extension
from ...inference.extensions.cuda_sources import LOADERS, SOURCES, Build, given_in_list
from ...model.finding import Finding, Severity
from ...text.guards import is_guarded
from ...text.scopes import BindingKind
from ...text.syntax import call_of, chain_from_root, chain_of, same, text_of
from .extensions import may_build_cuda

_BUILDERS = "torch.utils.cpp_extension"

_REGISTERS = {"fbgemm": "fbgemm_gpu"}
"""Libraries of CUDA kernels by the namespace of their operators below ``torch.ops``."""

_FOR_CPU = re.compile(r"\b(?!CUDAExtension\b|BuildExtension\b)\w*Extension\b")
"""What a setup script builds also without CUDA: ``CppExtension``, ``CMakeExtension``."""
_TESTS_CUDA = re.compile(r"\bis_available\(|\bCUDA_HOME\b")


class OwnExtension(Rule):
    """The project's own CUDA extension is used.

    What it does: Reports the import of a module that the project compiles for CUDA (a module that its
    ``setup.py`` names, or one that is named like such an extension and is not a file of the project), and
    each call of its functions, including those loaded with ``load`` and ``load_library``. For functions that
    many projects have it names the operator of mx_driving that takes their place.

    Why it matters on the NPU: CUDA sources cannot be compiled for an NPU: the import fails, and each call
    needs another implementation.

    Example: ``import my_ops_cuda`` and ``my_ops_cuda.forward(x)``.

    Use instead: what the message names, or an implementation with PyTorch operators; otherwise an Ascend C
    operator, built with ``torch_npu.utils.cpp_extension.NpuExtension``.
    """

    code = "NPU622"
    examples = (
        Example("import torch\nimport my_ops_cuda\ny = my_ops_cuda.forward(x)\n"),
        Example("import torch\nfrom my_ops_cuda import forward as f\ny = f(x)\n"),
        Example(
            "from torch.utils.cpp_extension import load\nops = load('a', ['a.cu'])\ny = ops.forward(x)\n"
        ),
        Example("import torch\ntorch.ops.load_library('libmy.so')\ny = torch.ops.my.forward(x)\n"),
        Example(
            "import torch\nfrom torch.utils.cpp_extension import load\n"
            "load('wkv', ['wkv.cu'], is_python_module=False)\ny = torch.ops.wkv.forward(x)\n"
        ),
        Example("import torch\ny = torch.ops.fbgemm.dense_to_jagged(x, [offsets])\n"),
        Example("import torch\nimport iou3d_nms_cuda\niou3d_nms_cuda.nms_gpu(boxes, keep, 0.1)\n"),
        Example.unchanged("import torch\nfrom utils import to_cuda\nx = to_cuda(x)\n"),
        Example.unchanged("import torch\ny = torch.ops.my.forward(x)\n"),
        Example.unchanged("from .layers_cuda import Layer\nlayer = Layer()\n"),
        Example.unchanged(
            "import torch\ntry:\n    import my_ops_cuda\nexcept ImportError:\n    my_ops_cuda = None\n"
        ),
    )

    @on.extension_import()
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        name = extension_module(ref.binding, ctx, is_star=ref.is_star)
        for build in handed_modules(ctx):
            yield from self._calls_of_built(build, ref.node, ctx)
        if name is None:
            yield from self._below(ref, ctx)
        if name is None:
            return
        is_avoided = way_of_import(ref.statement, ctx) is not Way.TAKEN
        if is_guarded(ref.statement):
            pass  # that it may be missing is thought of where it is used
        elif is_avoided or _is_built_without_cuda(ref, ctx):
            yield self.report(ref.node, "fallback", Severity.HINT, api=name, kind="cuda_op")
        elif ctx.is_first(("import of an extension", ref.statement.id), ref.node):
            yield self.report(ref.node, "imported", Severity.ERROR, api=name, kind="cuda_op")
        if not ref.is_star:
            yield from self._calls(ref.binding.name, ref.binding.target, ref.binding.node, ctx)

    def _below(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        """``pkg._C.run(x)``, ``ops.run(x)``: an extension that is reached through its package, or through the
        module that compiles it."""
        for use in ctx.source.names.references(ref.binding.name):
            for node, attributes in _beginnings(use):
                module = ".".join((ref.binding.target, *attributes))
                is_found = is_compiled_in(module, ctx) or (bool(attributes) and is_extension(module, ctx))
                if is_found and not ref.is_star:
                    chain = chain_from_root(use)
                    api = ".".join((ref.binding.target, *chain.attributes))
                    is_called = call_of(chain.node) is not None and chain.node.id != node.id
                    yield from self._called(chain.node, api, ctx) if is_called else ()
                    break

    @on.name(f"{_BUILDERS}.load", f"{_BUILDERS}.load_inline")
    def loaded(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None:
            for build in (*ctx.cuda_builds.of_load(ref.call), *handed_modules(ctx)):
                yield from self._calls_of_built(build, ref.node, ctx)

    @on.keyword(SOURCES, needs=may_build_cuda)
    def built(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        """What a function of another file compiles."""
        if ref.callee_name not in LOADERS and ctx.cuda_builds.is_given_cuda(ref.node):
            yield from self._calls_of_built(Build(ref.call), ref.node, ctx)

    @on.string(".cu", needs=may_build_cuda)
    def listed(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """The same, by position."""
        call = given_in_list(ref.node)
        if call is not None:
            yield from self._calls_of_built(Build(call), ref.node, ctx)

    @on.string(*LOADED_NAMES)
    def loaded_by_name(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        build = load_of(ref.node, ctx)
        if build is not None:
            yield from self._calls_of_built(build, ref.node, ctx)

    @on.name("torch.ops.**")
    def registered(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        library = _REGISTERS.get(ref.name.removeprefix("torch.ops.").partition(".")[0])
        if library is not None and ref.call is not None and not has_fallback(ref.node, ctx):
            yield self.report(
                ref.node, "library", Severity.ERROR, api=ref.name, kind="cuda_op", library=library
            )
        for operator in own_operators(ctx):
            is_named = ctx.source.names.name_of(operator).startswith("torch.ops.")
            is_here = same(operator, ref.node) if is_named else ctx.is_first(operator.id, ref.node)
            if is_here and call_of(operator) is not None:
                yield from self._called(operator, text_of(operator), ctx)

    def _calls_of_built(self, build: Build, place: Node, ctx: Context) -> Iterator[Finding]:
        """The calls of the module that a build gives, once, however many places lead to the build."""
        module, key = build.module, ("calls of a built module", build.call.id)
        if module is None or not ctx.is_first(key, place):
            return
        bound = ctx.source.names.bindings_in_scope(text_of(module), module)
        imports = (item for item in bound if item.kind is BindingKind.IMPORT)
        if not any(extension_module(item, ctx) for item in imports):  # whose calls are reported as its
            yield from self._calls(text_of(module), text_of(module), module, ctx)

    def _calls(self, local: str, target: str, bound: Node, ctx: Context) -> Iterator[Finding]:
        """The calls of what a name of the file holds, which is bound at a place."""
        for reference in ctx.source.names.references(local):
            chain = chain_from_root(reference)
            if call_of(chain.node) is not None and reference.start_byte > bound.start_byte:
                yield from self._called(chain.node, ".".join((target, *chain.attributes)), ctx)

    def _called(self, node: Node, api: str, ctx: Context) -> Iterator[Finding]:
        chain = chain_of(node)
        root = chain.root if chain is not None else node
        is_said = ctx.once(("call of an extension", node.id), lambda: api) != api  # of one of several builds
        if is_said or runs_on_cpu(root):
            return
        way = way_of_use(node, root, ctx)
        if way is not Way.TAKEN:
            if way is Way.FALLBACK or ctx.is_first(("extension by choice", text_of(root)), node):
                yield self.report(node, way.value, way.severity, api=api, kind="cuda_op")
            return
        operator = operator_named(api)
        if operator is None or operator.libraries:
            yield self.report(node, "called", Severity.ERROR, api=api, kind="cuda_op")
        else:
            text = advice(operator, ctx.facts)
            yield self.report(node, "replaced", Severity.ERROR, api=api, kind="cuda_op", advice=text)


def _beginnings(use: Node) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """Each beginning of a dotted expression, with the attributes up to its end."""
    chain = chain_from_root(use)
    for count in range(len(chain.nodes)):
        yield chain.nodes[count], chain.attributes[:count]


def _is_built_without_cuda(ref: ImportRef, ctx: Context) -> bool:
    """Whether the project builds an extension, which it may build without CUDA, and uses it in no other way
    than behind tests for CUDA. What the build itself needs is reported in its script."""
    scripts = (ctx.project.text_at(path) or "" for path in ctx.project.setup_scripts)
    if not ctx.is_built(imported_name(ref.binding)) or ref.is_star or not any(map(_builds_anyway, scripts)):
        return False
    fallbacks = ctx.shared(Fallbacks)
    return fallbacks.serve_all(ref.binding.name)


def _builds_anyway(script: str) -> bool:
    """Whether a setup script does not leave its extension out without CUDA, silently."""
    return _FOR_CPU.search(script) is not None or _TESTS_CUDA.search(script) is None
