"""Which code of a project needs CUDA, by itself or by what it calls.

Code needs CUDA that uses the project's own CUDA extensions, a Triton kernel, or a library that runs on CUDA
only. A function needs it where one of its uses does, unless the function has another way: the use is in the
arm of a test for which there is an alternative.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...engine.scan import imported_name
from ...facts.packages.third_party import is_absent_on_npu
from ...inference.extensions.cuda_sources import Build
from ...limits.below import with_parents
from ...limits.parents import parent_of
from ...text.guards import gives_up
from ...text.scopes import Binding
from ...text.syntax import arguments_of, chain_from_root, field, is_field, leaves_block, text_of
from ...text.uses import uses_of_variable
from ..libraries import extension_module
from .code_searches import Span

if TYPE_CHECKING:
    from ...engine.context import Context

MOST_CALLS = 4
"""Functions one behind the other, each called by the one before, that are looked into."""
_HINTS = (
    b".cu'", b'.cu"', b".cuh", b"CUDAExtension", b"cuda_sources", b"load_library", b"triton", b"_cuda",
    b"cuda_", b"cupy", b"pycuda", b"flash_attn", b"xformers", b"apex", b"spconv", b"torch_scatter",
    b"nvdiffrast", b"tinycudann", b"mamba_ssm", b"causal_conv1d", b"import _C", b"_ext",
)  # fmt: skip
"""Of which a file has one that uses an extension, a kernel or a library of CUDA."""
_ON_CPU = re.compile(r"(?:^|_)cpu(?:_|$)")
_KERNEL_DECORATORS = frozenset({"triton.jit", "triton.autotune", "triton.heuristics", "numba.cuda.jit"})
RUN_BY_THEMSELVES = frozenset(
    {"forward", "backward", "__init__", "__call__", "apply", "setup_context", "jvp", "vjp"}
)
"""The methods without which an object of a class is of no use."""
_ALTERNATIVES = re.compile(
    r"cuda|gpu|npu|device|avail|has_|have_|support|install|import|flash|xformers|triton|kernel|fused|impl|"
    r"backend|use_|is not None|is None",
    re.I,
)
"""What a condition speaks of that chooses between implementations."""
_PASSED = frozenset({"with_statement", "for_statement", "while_statement", "block"})
"""What is no statement of its own: those in it count."""
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
            elif binding.scope.id == root and binding.name == "*":
                found.update(self._needed_by_star(binding.target))
        found.update(text_of(name) for name in self._aliases(self._places) if self._is_of_module(name))
        return frozenset(found)

    def is_of_cuda(self, binding: Binding) -> bool:
        """Whether an import is of an extension of the project, or of a library that runs on CUDA only."""
        return self._is_of_cuda(binding)

    def _aliases(self, places: Iterable[int]) -> Iterator[Node]:
        """The variables that are set to what needs CUDA: ``run = BiasActCuda.apply``."""
        for place in places:
            node = self._source.node_at(place, place + 1)
            statement = self._source.enclosing(node, "assignment") if node is not None else None
            target, value = field(statement, "left"), field(statement, "right")
            if target is None or value is None or target.type != "identifier":
                continue
            if stands_for(value, place) and (value.type != "call" or self._is_of_module(target)):
                yield target

    def _is_of_module(self, name: Node) -> bool:
        return parent_of(self._source.names.scope_of(name)) is None

    @cached_property
    def _places(self) -> list[int]:
        """Where the file uses an extension, a kernel, a library of CUDA, or what needs one of them."""
        places = set(self._own_places())
        aliases: set[int] = set()
        for _ in range(MOST_CALLS):
            known, at = len(self._needing) + len(aliases), sorted(places)
            for definition in self._definitions:
                if definition.id not in self._needing and self._needs(definition, at):
                    self._needing.add(definition.id)
                    places.update(self._uses_of(definition))
            for name in [name for name in self._aliases(places) if name.id not in aliases]:
                aliases.add(name.id)
                places.update(use.start_byte for use in uses_of_variable(name, self._source))
            if len(self._needing) + len(aliases) == known:
                break
        return sorted(places)

    def _own_places(self) -> Iterator[int]:
        names = self._source.names
        held: list[str] = []
        for binding in names.imports:
            if self._is_of_cuda(binding):
                held.append(binding.name)
                yield binding.statement.start_byte
            elif self._is_imported_need(binding):
                held.append(binding.name)
            else:
                yield from self._attributes_that_need(binding)
        held += [text_of(item.module) for item in self._builds if item.module is not None]
        for module in names.star_imports:
            held += self._needed_by_star(module)
        for name in dict.fromkeys(held):
            for use in names.references(name):
                if not runs_on_cpu(use):
                    yield use.start_byte

    @cached_property
    def _tried(self) -> frozenset[str]:
        """The names of imports that are of CUDA."""
        return frozenset(item.name for item in self._source.names.imports if self._is_of_cuda(item))

    @cached_property
    def _builds(self) -> tuple[Build, ...]:
        return tuple(self._ctx.cuda_builds.all())

    def _is_of_cuda(self, binding: Binding) -> bool:
        if extension_module(binding, self._ctx) is not None:
            return True
        return is_absent_on_npu(binding.target)

    def _is_imported_need(self, binding: Binding) -> bool:
        """Whether a name that another file of the project defines needs CUDA."""
        module, name = split_name(binding.target)
        return bool(module) and self._needed_from(module, name)

    def _attributes_that_need(self, binding: Binding) -> Iterator[int]:
        """The uses of what an imported module of the project has."""
        project, path = self._ctx.project, self._source.path
        written = imported_name(binding)
        if not any(project.may_need_cuda(part) for part in written.split(".")):
            return
        if not project.has_module(path, binding.target):
            return
        for use in self._source.names.references(binding.name):
            parts = (*binding.target.split("."), *chain_from_root(use).attributes)
            shortest = binding.target.count(".") + 1
            if any(
                self._needed_from(".".join(parts[:count]), parts[count])
                for count in range(shortest, min(len(parts), shortest + MOST_CALLS))
            ):
                yield use.start_byte

    def _needed_by_star(self, module: str) -> frozenset[str]:
        """What a star import of a module of the project brings that needs CUDA."""
        project = self._ctx.project
        if not project.may_need_cuda(module.rpartition(".")[2]):
            return frozenset()
        return project.names_needing_cuda(self._source.path, module, self._ctx.options)

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
        if any(
            bisect_left(places, item.start_byte) < bisect_left(places, item.end_byte)
            for item in decorators_of(definition)
        ):
            return True
        return any(
            bisect_left(places, span.start) < bisect_left(places, span.end)
            for span in self._ctx.once(
                ("spans", definition.id), lambda: _without_alternatives(definition, self._tried)
            )
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
        for child in decorators_of(definition):
            expression = child.named_children[0] if child.named_children else None
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


def runs_on_cpu(use: Node) -> bool:
    """Whether a use of an extension is of a function that computes on the CPU: ``_C.nms_cpu``."""
    chain = chain_from_root(use)
    return _ON_CPU.search(chain.attributes[-1] if chain.attributes else text_of(use)) is not None


def stands_for(value: Node, place: int) -> bool:
    """Whether a value is the name at a place, ``name.apply``, or ``partial(name)``."""
    if value.type in ("identifier", "attribute"):
        return value.start_byte == place
    if value.type != "call":
        return False
    return any(item.value.start_byte == place and item.value.type in ("identifier", "attribute")
        for item in arguments_of(value).items)  # fmt: skip


def split_name(target: str) -> tuple[str, str]:
    """The module and the name of what is imported: ``.ops`` and ``run`` of ``.ops.run``."""
    module, _, name = target.rpartition(".")
    return (module, name) if module.strip(".") else (target[: len(target) - len(name)], name)


def decorators_of(definition: Node) -> list[Node]:
    """The decorators of a function or class."""
    holder = parent_of(definition)
    is_decorated = holder is not None and holder.type == "decorated_definition"
    if holder is None or not is_decorated:
        return []
    return [child for child in holder.named_children if child.type == "decorator"]


def _methods(owner: Node) -> Iterator[Node]:
    """The methods of a class that every use of it runs."""
    body = field(owner, "body")
    for child in body.named_children if body is not None else ():
        definition = field(child, "definition") if child.type == "decorated_definition" else child
        name = field(definition, "name")
        is_method = definition is not None and definition.type == "function_definition"
        if definition is not None and is_method and name is not None and text_of(name) in RUN_BY_THEMSELVES:
            yield definition


def _without_alternatives(definition: Node, missing: frozenset[str]) -> tuple[Span, ...]:
    """The parts of a function's body that run whatever implementation is chosen; ``missing`` are names that
    are None without CUDA."""
    body = field(definition, "body")
    found: list[Span] = []
    chosen: set[int] = set()
    """The blocks that a choice has left for one implementation: the rest of them is the other."""
    parts = with_parents(body, lambda node: node.type in _PASSED) if body is not None else ()
    for statement, block in parts:
        if block.type != "block" or block.id in chosen or statement.type in _PASSED:
            continue
        if statement.type not in ("if_statement", "try_statement") or not _has_alternative(statement):
            found.append(Span.of(statement))
        elif _leaves_without(statement, missing):
            chosen.add(block.id)
    return tuple(found)


def _leaves_without(statement: Node, missing: frozenset[str]) -> bool:
    """Whether an ``if`` leaves the block where one of the names is None, and not by an error."""
    condition, consequence = field(statement, "condition"), field(statement, "consequence")
    if condition is None or consequence is None or not leaves_block(consequence) or gives_up(consequence):
        return False
    words = text_of(condition).split()
    is_test = words[1:] == ["is", "None"] or (len(words) == 2 and words[0] == "not")
    return is_test and not missing.isdisjoint(words)


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
