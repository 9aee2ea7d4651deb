"""Which code of a project needs CUDA, by itself or by what it calls.

Code needs CUDA that uses the project's own CUDA extensions, a Triton kernel, or a library that runs on CUDA
only. A function needs it where one of its uses does, unless the function has another way: the use is in the
arm of a test for which there is an alternative.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from ..facts.packages.third_party import cuda_modules
from ..inference.extensions.cuda_sources import Build
from ..limits.below import nodes_through
from ..limits.parents import parent_of
from ..text.scopes import Binding
from ..text.syntax import STATEMENT_SUFFIXES, chain_from_root, field, is_field, leaves_block, text_of
from .code_searches import Span
from .libraries import extension_module

if TYPE_CHECKING:
    from ..engine.context import Context

MOST_CALLS = 4
"""Functions one behind the other, each called by the one before, that are looked into."""
_HINTS = (
    b".cu'", b'.cu"', b".cuh", b"CUDAExtension", b"cuda_sources", b"load_library", b"triton", b"_cuda",
    b"cuda_", b"cupy", b"pycuda", b"flash_attn", b"xformers", b"apex", b"spconv", b"torch_scatter",
    b"nvdiffrast", b"tinycudann", b"mamba_ssm", b"causal_conv1d", b"import _C", b"_ext",
)  # fmt: skip
"""Of which a file has one that uses an extension, a kernel or a library of CUDA."""
_KERNEL_DECORATORS = frozenset({"triton.jit", "triton.autotune", "triton.heuristics", "numba.cuda.jit"})
_RUNS = frozenset({"forward", "backward", "__init__", "__call__", "apply", "setup_context", "jvp", "vjp"})
"""The methods without which an object of a class is of no use."""
_ALTERNATIVES = re.compile(
    r"cuda|gpu|npu|device|avail|has_|have_|support|install|import|flash|xformers|triton|kernel|fused|impl|"
    r"backend|use_|is not None|is None",
    re.I,
)
"""What a condition speaks of that chooses between implementations."""
_RUNS_ALL = frozenset({"block", "with_statement", "for_statement", "while_statement"})
_DEFINES = ((b"def ", "function_definition"), (b"class ", "class_definition"))


def may_need_cuda(python: bytes) -> bool:
    """Whether a file may use a CUDA extension, a kernel or a library of CUDA, by its bytes."""
    return any(hint in python for hint in _HINTS)


class CudaNeeds:
    """The code of one file that needs CUDA; see :func:`needs_of`."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._source = ctx.source
        self._needing: set[int] = set()
        """The classes and functions that need it, by the ids of their nodes."""

    def forget(self) -> None:
        """Let go of the context."""
        self.__dict__.clear()

    def is_in(self, span: Span) -> bool:
        """Whether a part of the file uses what needs CUDA."""
        places = self._places
        return bisect_left(places, span.start) < bisect_left(places, span.end)

    @property
    def names(self) -> frozenset[str]:
        """The names of the module that stand for what needs CUDA."""
        root = self._source.root.id
        self._places  # noqa: B018 - finds the definitions
        found = {
            text_of(name)
            for definition in self._definitions
            if definition.id in self._needing and (name := field(definition, "name")) is not None
            and self._source.names.scope_of(definition).id == root
        }  # fmt: skip
        for binding in self._source.names.imports:
            if binding.scope.id == root and (self._is_of_cuda(binding) or self._is_imported_need(binding)):
                found.add(binding.name)
        found.update(self._aliases())
        return frozenset(found)

    def _aliases(self) -> Iterator[str]:
        """The variables of the module that are set to what needs CUDA: ``run = BiasActCuda.apply``."""
        for place in self._places:
            node = self._source.node_at(place, place + 1)
            statement = self._source.enclosing(node, "assignment") if node is not None else None
            target, value = field(statement, "left"), field(statement, "right")
            if target is None or value is None or value.type not in ("identifier", "attribute"):
                continue
            if target.type == "identifier" and parent_of(self._source.names.scope_of(target)) is None:
                yield text_of(target)

    @cached_property
    def _places(self) -> list[int]:
        """Where the file uses an extension, a kernel, a library of CUDA, or what needs one of them."""
        places = set(self._own_places())
        for _ in range(MOST_CALLS):
            known, at = len(self._needing), sorted(places)
            for definition in self._definitions:
                if definition.id not in self._needing and self._needs(definition, at):
                    self._needing.add(definition.id)
                    places.update(self._uses_of(definition))
            if len(self._needing) == known:
                break
        return sorted(places)

    def _own_places(self) -> Iterator[int]:
        names = self._source.names
        held: list[str] = []
        for binding in names.imports:
            if self._is_of_cuda(binding):
                held.append(binding.name)
                if parent_of(binding.scope) is not None:
                    yield binding.statement.start_byte
            elif self._is_imported_need(binding):
                held.append(binding.name)
            else:
                yield from self._attributes_that_need(binding)
        held += [text_of(item.module) for item in self._builds if item.module is not None]
        for name in dict.fromkeys(held):
            yield from (use.start_byte for use in names.references(name))

    @cached_property
    def _builds(self) -> tuple[Build, ...]:
        return tuple(self._ctx.cuda_builds.all())

    def _is_of_cuda(self, binding: Binding) -> bool:
        if extension_module(binding, self._ctx) is not None:
            return True
        parts = binding.target.split(".")
        listed = cuda_modules()
        return any(".".join(parts[:count]) in listed for count in range(1, len(parts) + 1))

    def _is_imported_need(self, binding: Binding) -> bool:
        """Whether a name that another file of the project defines needs CUDA."""
        module, name = _split(binding.target)
        return bool(module) and self._needed_from(module, name)

    def _attributes_that_need(self, binding: Binding) -> Iterator[int]:
        """The uses of what an imported module of the project has."""
        project, path = self._ctx.project, self._source.path
        if not project.may_need_cuda(binding.target.rpartition(".")[2]):
            return
        if not project.has_module(path, binding.target):
            return
        for use in self._source.names.references(binding.name):
            below = chain_from_root(use).attributes[:1]
            if below and self._needed_from(binding.target, below[0]):
                yield use.start_byte

    def _needed_from(self, module: str, name: str) -> bool:
        project = self._ctx.project
        if not project.may_need_cuda(module.rpartition(".")[2] or name):
            return False
        return name in project.names_needing_cuda(self._source.path, module, self._ctx.options)

    @cached_property
    def _definitions(self) -> tuple[Node, ...]:
        """The functions and classes of the file, inner ones before those around them."""
        found: dict[int, Node] = {}
        for word, kind in _DEFINES:
            for offset in self._source.find_all(word):
                node = parent_of(self._source.node_at(offset, offset + len(word) - 1))
                if node is not None and node.type == kind:
                    found[node.id] = node
        return tuple(sorted(found.values(), key=lambda node: -node.start_byte))

    def _needs(self, definition: Node, places: list[int]) -> bool:
        if definition.type == "class_definition":
            return any(method.id in self._needing for method in _methods(definition))
        if self._is_kernel(definition) or self._compiles(definition):
            return True
        return any(
            bisect_left(places, span.start) < bisect_left(places, span.end)
            for span in self._ctx.once(("spans", definition.id), lambda: _without_alternatives(definition))
        )

    def _uses_of(self, definition: Node) -> Iterator[int]:
        """Where a function or class is used in the file."""
        name = field(definition, "name")
        if name is None:
            return
        scope = self._source.names.scope_of(definition)
        if scope.type != "class_definition":
            yield from (use.start_byte for use in self._source.names.readers(text_of(name), scope))
            return
        for use in self._source.identifiers_in(text_of(name), scope):
            receiver = field(parent_of(use), "object")
            is_own = receiver is not None and text_of(receiver) in ("self", "cls")
            if is_own and is_field(use, "attribute"):
                yield use.start_byte

    def _is_kernel(self, definition: Node) -> bool:
        holder = parent_of(definition)
        if holder is None or holder.type != "decorated_definition":
            return False
        for child in holder.named_children:
            expression = child.named_children[0] if child.type == "decorator" else None
            if expression is not None and expression.type == "call":
                expression = field(expression, "function")
            found = self._source.names.qualified_name(expression) if expression is not None else None
            if found is not None and found.qualified_name in _KERNEL_DECORATORS:
                return True
        return False

    def _compiles(self, definition: Node) -> bool:
        """Whether a function compiles CUDA sources."""
        start, end = definition.start_byte, definition.end_byte
        return any(start <= build.call.start_byte < end for build in self._builds)


def needs_of(ctx: Context) -> CudaNeeds:
    """What needs CUDA in a file, the same object each time."""
    return ctx.shared(CudaNeeds)


def _split(target: str) -> tuple[str, str]:
    """The module and the name of what is imported: ``.ops`` and ``run`` of ``.ops.run``."""
    module, _, name = target.rpartition(".")
    return (module, name) if module.strip(".") else (target[: len(target) - len(name)], name)


def _methods(owner: Node) -> Iterator[Node]:
    """The methods of a class that every use of it runs."""
    body = field(owner, "body")
    for child in body.named_children if body is not None else ():
        definition = field(child, "definition") if child.type == "decorated_definition" else child
        name = field(definition, "name")
        is_method = definition is not None and definition.type == "function_definition"
        if definition is not None and is_method and name is not None and text_of(name) in _RUNS:
            yield definition


def _without_alternatives(definition: Node) -> tuple[Span, ...]:
    """The parts of a function's body that run whatever implementation is chosen."""
    body = field(definition, "body")
    if body is None:
        return ()
    statements = (node for node in nodes_through(body, _runs_all) if node.type.endswith(STATEMENT_SUFFIXES))
    return tuple(Span.of(node) for node in statements if not _runs_all(node) and not _has_alternative(node))


def _runs_all(node: Node) -> bool:
    """Whether what a node holds runs whatever implementation is chosen."""
    return node.type in _RUNS_ALL


def _has_alternative(statement: Node) -> bool:
    """Whether an ``if`` or ``try`` chooses between implementations."""
    if statement.type not in ("if_statement", "try_statement"):
        return False
    if statement.type == "try_statement":
        return any(child.type == "except_clause" for child in statement.named_children)
    condition = field(statement, "condition")
    if condition is None or not _ALTERNATIVES.search(text_of(condition)):
        return False
    has_other = any(child.type in ("else_clause", "elif_clause") for child in statement.named_children)
    return has_other or leaves_block(field(statement, "consequence"))
