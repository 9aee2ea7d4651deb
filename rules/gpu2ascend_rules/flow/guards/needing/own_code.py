"""What a file uses of the CUDA code that its project compiles: modules that it builds or loads, operators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ....inference.extensions.cuda_sources import Build
from ....inference.extensions.setup_scripts import ANY, OLD_MODULE, extensions_of
from ....limits.parents import parent_of
from ....text.scopes import Binding
from ....text.source_file import SourceFile
from ....text.syntax import call_of, enclosing, field, last_name, same, text_of
from ...libraries import extension_module
from ...templates import plain_text
from .given import split_name

if TYPE_CHECKING:
    from ....engine.context import Context

CUDNN_OPERATOR = b"aten::cudnn_"
PACKAGE_FOR_GPUS = b"-gpu"
"""How names of packages end whose other build, without it, is for the CPU."""
LOADED_NAMES = ("ext", "_C", "cuda")
"""Parts of the names of extensions that are loaded by a text."""
_IMPORTS = re.compile(r"load|import|ext", re.I)
_OF_OTHERS = frozenset({
    "aten", "prim", "prims", "npu", "torchvision", "torchaudio", "quantized", "mkldnn", "c10d", "mylib",
    "_c10d_functional", "_caffe2", "profiler", "higher_order", "load_library", "fbgemm",
})  # fmt: skip
"""Names below ``torch.ops`` that are no project's own."""


def compiled_modules(ctx: Context) -> tuple[Build, ...]:
    """The calls of a file that give a module of CUDA code: they compile it, load what a script builds, or are
    of functions that return one."""
    return ctx.once("compiled modules", lambda: (*_made(ctx), *handed_modules(ctx)))


def handed_modules(ctx: Context) -> tuple[Build, ...]:
    """The calls of functions that return a module of CUDA code."""
    from .handed_on import handed_on  # a check that asks for none does not need it

    return ctx.once("handed modules", lambda: tuple(handed_on(given_by(ctx), ctx)))


def given_by(ctx: Context) -> frozenset[str]:
    """The functions of a file that return a module of CUDA code."""
    from .handed_on import giving_functions

    return ctx.once("functions that give modules", lambda: giving_functions(_made(ctx), ctx))


def _made(ctx: Context) -> tuple[Build, ...]:
    return ctx.once("made modules", lambda: (*ctx.cuda_builds.all(), *_loads(ctx)))


def load_of(string: Node, ctx: Context) -> Build | None:
    """The call that loads the extension of the project which a text names: ``load_ext('_ext', ['run'])``."""
    holder = parent_of(string)
    call = parent_of(holder)
    if holder is None or call is None or call.type != "call" or not ctx.extension_names:
        return None
    if not same(holder.named_children[0], string) or not _IMPORTS.search(last_name(call)):
        return None
    if any(same(item.call, call) for item in extensions_of(ctx.source)):
        return None  # it describes the extension
    named = (plain_text(string) or "").lstrip(".")
    is_built = any(
        named == built or named == built.rpartition(".")[2] or named.endswith(f".{built}")
        for built in ctx.extension_names
        if ANY not in built
    )
    return Build(call) if is_built else None


def _loads(ctx: Context) -> Iterator[Build]:
    for name in {built.rpartition(".")[2] for built in ctx.extension_names}:
        for offset in ctx.source.find_all(name.encode()) if ANY not in name else ():
            node = ctx.source.node_at(offset, offset + 1)
            string = parent_of(node) if node is not None and node.type == "string_content" else None
            build = load_of(string, ctx) if string is not None else None
            if build is not None:
                yield build


def unnamed_needs(ctx: Context) -> Iterator[int]:
    """Where a file names operators of PyTorch that only its builds for CUDA have (``aten::cudnn_...``), or
    the one of two packages that is for CUDA (``'onnxruntime-gpu' if cuda else 'onnxruntime'``), and where a
    script from before torch 1.0 has its extension built for CUDA."""
    yield from ctx.source.find_all(CUDNN_OPERATOR)
    yield from _packages_for_gpus(ctx)
    for word in ctx.source.identifiers("with_cuda") if ctx.source.has(OLD_MODULE.encode()) else ():
        statement = enclosing(word, "assignment")
        if same(field(statement, "left"), word) and text_of(field(statement, "right") or word) == "True":
            yield word.start_byte


def _packages_for_gpus(ctx: Context) -> Iterator[int]:
    """Those of a choice that is about nothing else: a variable that decides more moves with the rest."""
    for offset in ctx.source.find_all(PACKAGE_FOR_GPUS):
        string = parent_of(ctx.source.node_at(offset, offset + 1))
        choice = parent_of(string)
        if string is None or choice is None or choice.type != "conditional_expression":
            continue
        first, test, last = choice.named_children[:3]
        other = (plain_text(string) or "").removesuffix(PACKAGE_FOR_GPUS.decode())
        names = ctx.source.names
        is_shared = test.type == "identifier" and len(names.readers(text_of(test), names.scope_of(test))) > 1
        if not is_shared and other in (plain_text(first), plain_text(last)):
            yield string.start_byte


def own_operators(ctx: Context) -> tuple[Node, ...]:
    """Where a file names operators that the project registers: ``torch.ops.my.forward``.

    They are its own where it loads a library or builds extensions for CUDA, also in the file itself.
    """
    return ctx.once("own operators", lambda: tuple(_operators(ctx)))


def _operators(ctx: Context) -> Iterator[Node]:
    words = ctx.source.identifiers("ops")
    if not words or not (ctx.extension_names or ctx.source.identifiers("load_library") or _builds(ctx)):
        return
    for word in words:
        namespace = _namespace_of(word, ctx)
        operator = _attribute_of(namespace)
        if namespace is not None and operator is not None:
            overload = _attribute_of(operator)
            found = overload if overload is not None and call_of(overload) is not None else operator
            yield found
            yield from _held(found, ctx)
        elif namespace is not None:
            yield from filter(None, map(_attribute_of, _held(namespace, ctx)))


def _builds(ctx: Context) -> bool:
    return any(True for _ in ctx.cuda_builds.all())


def _namespace_of(word: Node, ctx: Context) -> Node | None:
    """The namespace below ``torch.ops`` whose name follows a word ``ops``."""
    parent = parent_of(word)
    module = parent if parent is not None and parent.type == "attribute" else word
    resolution = ctx.source.names.qualified_name(module)
    if resolution is None or resolution.qualified_name != "torch.ops":
        return None
    namespace = _attribute_of(module)
    name = field(namespace, "attribute")
    return namespace if name is not None and text_of(name) not in _OF_OTHERS else None


def _held(value: Node, ctx: Context) -> Iterator[Node]:
    """The uses of a variable that is set to a value: ``OPS = torch.ops.my``."""
    statement = parent_of(value)
    target = field(statement, "left")
    if target is not None and target.type == "identifier" and same(field(statement, "right"), value):
        yield from ctx.source.names.readers(text_of(target), ctx.source.names.scope_of(target))


def _attribute_of(owner: Node | None) -> Node | None:
    parent = parent_of(owner)
    return parent if parent is not None and parent.type == "attribute" else None


def loaded_from_mmcv(source: SourceFile) -> list[str]:
    """The names of modules of kernels that mmcv loads, which it builds for CUDA and the NPU."""
    statements = (source.enclosing(use, "assignment") for use in source.identifiers("load_ext"))
    targets = (field(statement, "left") for statement in statements if statement is not None)
    return [text_of(target) for target in targets if target is not None and target.type == "identifier"]


def is_compiled_in(name: str, ctx: Context) -> bool:
    """Whether a dotted name is one of another module that holds what a module compiles for CUDA."""
    module, own = split_name(name)
    return bool(module) and own in ctx.project.cuda.compiled_names(ctx.source.path, module, ctx.options)


def is_of_extension(binding: Binding, ctx: Context) -> bool:
    """Whether an import is of an extension that is compiled for CUDA, by itself or from another module."""
    return extension_module(binding, ctx) is not None or is_compiled_in(binding.target, ctx)
