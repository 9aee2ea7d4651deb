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
from ..limits.below import nodes_in
from ..limits.parents import parent_of
from ..limits.walks import CLIMB_LIMITS
from ..text.scopes import Binding, BindingKind
from ..text.syntax import chain_from_root, field, is_field, leaves_block, text_of
from .code_searches import Span
from .libraries import extension_module

if TYPE_CHECKING:
    from ..engine.context import Context

MOST_CALLS = 4
"""Functions one behind the other, each called by the one before, that are looked into."""
_KERNEL_DECORATORS = frozenset({"triton.jit", "triton.autotune", "triton.heuristics", "numba.cuda.jit"})
_RUNS = frozenset({"forward", "backward", "__init__", "__call__", "apply", "setup_context", "jvp", "vjp"})
"""The methods without which an object of a class is of no use."""
_ALTERNATIVES = re.compile(
    r"cuda|gpu|npu|device|avail|has_|have_|support|install|import|flash|xformers|triton|kernel|fused|impl|"
    r"backend|use_|is not None|is None",
    re.I,
)
"""What a condition speaks of that chooses between implementations."""
_OWNERS = ("function_definition", "class_definition")


class CudaNeeds:
    """The code of one file that needs CUDA; see :func:`needs_of`."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._source = ctx.source
        self._definitions: dict[int, bool] = {}

    def forget(self) -> None:
        """Let go of the context."""
        self.__dict__.clear()

    def is_in(self, span: Span, depth: int = 0) -> bool:
        """Whether a part of the file uses what needs CUDA."""
        if self._has_place(span):
            return True
        node = self._source.node_at(span.start, span.end)
        if node is None or depth >= MOST_CALLS:
            return False
        inside = (item for item in nodes_in(node) if span.start <= item.start_byte < span.end)
        return any(self._leads_to_cuda(use, depth) for use in self._uses(inside))

    def of_name(self, name: str, depth: int) -> bool:
        """Whether what the module has under a name needs CUDA."""
        root = self._source.root.id
        bindings = [item for item in self._source.names.bindings(name) if item.scope.id == root]
        return bool(bindings) and self._of_binding(bindings[-1], depth)

    def _has_place(self, span: Span) -> bool:
        places = self._places
        return bisect_left(places, span.start) < bisect_left(places, span.end)

    @cached_property
    def _places(self) -> list[int]:
        """Where the file itself uses an extension, a kernel or a library of CUDA."""
        names = self._source.names
        held = [item.name for item in names.imports if self._is_of_cuda(item)]
        held += [text_of(item.module) for item in self._ctx.cuda_builds.all() if item.module is not None]
        places = {use.start_byte for name in dict.fromkeys(held) for use in names.references(name)}
        places |= {item.statement.start_byte for item in names.imports if self._is_inner_import(item)}
        return sorted(places)

    def _is_of_cuda(self, binding: Binding) -> bool:
        if extension_module(binding, self._ctx) is not None:
            return True
        parts = binding.target.split(".")
        listed = cuda_modules()
        return any(".".join(parts[:count]) in listed for count in range(1, len(parts) + 1))

    def _is_inner_import(self, binding: Binding) -> bool:
        return parent_of(binding.scope) is not None and self._is_of_cuda(binding)

    def _uses(self, nodes: Iterator[Node]) -> Iterator[Node]:
        """The names that some code reads, each name once."""
        seen: set[str] = set()
        for node in nodes:
            if node.type != "identifier" or len(seen) > CLIMB_LIMITS.uses:
                continue
            if self._source.names.is_reference(node) and (text := text_of(node)) not in seen:
                if text not in ("self", "cls", "torch", "super", "len", "range", "print", "isinstance"):
                    seen.add(text)
                    yield node
            elif text_of(parent_of(node) or node).startswith(("self.", "cls.")):
                yield node

    def _leads_to_cuda(self, use: Node, depth: int) -> bool:
        parent = parent_of(use)
        if parent is not None and parent.type == "attribute" and is_field(use, "attribute"):
            return self._own_method(use, depth)
        bindings = self._source.names.bindings_in_scope(text_of(use), use)
        if not bindings:
            return False
        binding = bindings[-1]
        if binding.kind is BindingKind.IMPORT:
            return self._imported(binding, use, depth)
        return self._of_binding(binding, depth)

    def _own_method(self, name: Node, depth: int) -> bool:
        """``self.method``: the method of the class around."""
        owner = self._source.enclosing(name, "class_definition")
        for binding in self._source.names.bindings(text_of(name)) if owner is not None else ():
            if binding.kind is BindingKind.DEFINITION and owner is not None and binding.scope.id == owner.id:
                return self._of_definition(binding.statement, depth)
        return False

    def _imported(self, binding: Binding, use: Node, depth: int) -> bool:
        """A name of another file: as it is imported, or the attribute of an imported module."""
        target = ".".join((binding.target, *chain_from_root(use).attributes[:1]))
        project, path = self._ctx.project, self._source.path
        return any(
            project.needs_cuda(path, module, name, self._ctx.options, depth + 1)
            for module, name in _split(binding.target, target)
        )

    def _of_binding(self, binding: Binding, depth: int) -> bool:
        if binding.kind is BindingKind.DEFINITION:
            return self._of_definition(binding.statement, depth)
        if binding.kind is BindingKind.IMPORT:
            return self._is_of_cuda(binding) or self._imported(binding, binding.node, depth)
        is_constant = binding.kind is BindingKind.ASSIGNMENT and parent_of(binding.scope) is None
        if not is_constant or binding.value is None:
            return False
        return binding.value.type in ("identifier", "attribute") and self.is_in(
            Span.of(binding.value), depth + 1
        )

    def _of_definition(self, definition: Node, depth: int) -> bool:
        known = self._definitions.get(definition.id)
        if known is None:
            self._definitions[definition.id] = False  # what calls itself does not need CUDA for that
            known = self._definitions[definition.id] = self._looked_into(definition, depth)
        return known

    def _looked_into(self, definition: Node, depth: int) -> bool:
        if definition.type == "class_definition":
            return any(self._of_definition(method, depth) for method in _methods(definition))
        if self._is_kernel(definition) or self._compiles(definition):
            return True
        return any(self.is_in(span, depth + 1) for span in _without_alternatives(definition))

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
        return any(
            definition.start_byte <= build.call.start_byte < definition.end_byte
            for build in self._ctx.cuda_builds.all()
        )


def needs_of(ctx: Context) -> CudaNeeds:
    """What needs CUDA in a file, the same object each time."""
    return ctx.shared(CudaNeeds)


def _split(imported: str, target: str) -> Iterator[tuple[str, str]]:
    """The modules and names that a dotted name may mean."""
    for dotted in dict.fromkeys((imported, target)):
        module, dot, name = dotted.rpartition(".")
        if dot and name:
            yield module if module.strip(".") or not dotted.startswith(".") else dotted[: -len(name)], name


def _methods(owner: Node) -> Iterator[Node]:
    """The methods of a class that every use of it runs."""
    body = field(owner, "body")
    for child in body.named_children if body is not None else ():
        definition = field(child, "definition") if child.type == "decorated_definition" else child
        name = field(definition, "name")
        is_method = definition is not None and definition.type == "function_definition"
        if definition is not None and is_method and name is not None and text_of(name) in _RUNS:
            yield definition


def _without_alternatives(definition: Node) -> Iterator[Span]:
    """The parts of a function's body that run whatever implementation is chosen."""
    waiting = [field(definition, "body")]
    while waiting:
        block = waiting.pop()
        for statement in block.named_children if block is not None else ():
            if statement.type in ("if_statement", "try_statement") and _has_alternative(statement):
                continue
            if statement.type in ("with_statement", "for_statement", "while_statement"):
                waiting.append(field(statement, "body"))
            yield Span.of(statement)


def _has_alternative(statement: Node) -> bool:
    """Whether an ``if`` or ``try`` chooses between implementations."""
    if statement.type == "try_statement":
        return any(child.type == "except_clause" for child in statement.named_children)
    condition = field(statement, "condition")
    if condition is None or not _ALTERNATIVES.search(text_of(condition)):
        return False
    has_other = any(child.type in ("else_clause", "elif_clause") for child in statement.named_children)
    return has_other or leaves_block(field(statement, "consequence"))
