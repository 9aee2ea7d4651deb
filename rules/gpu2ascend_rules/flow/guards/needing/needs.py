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

from ....engine.scan import imported_name
from ....facts.packages.third_party import is_absent_on_npu, is_cuda_member
from ....limits.parents import parent_of
from ....text.scopes import Binding
from ....text.syntax import chain_from_root, field, is_field, text_of
from ...libraries import extension_module
from ...names.parameters import functions_in
from ..code_searches import Span
from .alternatives import is_arm, without_alternatives
from .given import (
    OWN,
    Gift,
    Gifts,
    Given,
    decorations_of,
    decorators_of,
    refers_to,
    split_name,
    uses_of_parameter,
    uses_of_target,
)
from .own_code import compiled_modules, is_of_extension, loaded_from_mmcv, own_operators, unnamed_needs
from .registries import Registered, registered

if TYPE_CHECKING:
    from ....engine.context import Context

MOST_CALLS = 4
"""Functions one behind the other, each called by the one before, that are looked into."""
_ON_CPU = re.compile(r"(?:^|_)cpu(?:_|$)")
_KERNEL_DECORATORS = frozenset({"triton.jit", "triton.autotune", "triton.heuristics", "numba.cuda.jit"})
RUN_BY_THEMSELVES = frozenset(
    {"forward", "backward", "__init__", "__call__", "apply", "setup_context", "jvp", "vjp"}
)
"""The methods without which an object of a class is of no use."""
_DEFINES = ((b"def ", "function_definition"), (b"class ", "class_definition"))


class CudaNeeds:
    """The code of one file that needs CUDA; see :func:`needs_of`."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._source = ctx.source
        self._needing: set[int] = set()
        """The classes and functions that need it, by the ids of their nodes."""
        self._gifts = Gifts(ctx.source, ctx.project)

    def forget(self) -> None:
        """Let go of the context."""
        self.__dict__.clear()

    def is_in(self, span: Span) -> bool:
        """Whether a part of the file uses what needs CUDA."""
        return _is_among(self._places, span) or _is_among(self._given_places, span)

    @property
    def names(self) -> frozenset[str]:
        """The names of the module that stand for what needs CUDA."""
        root = self._source.root.id
        self._places  # noqa: B018 - finds the definitions
        found = {
            text_of(name)
            for definition in self._definitions
            if definition.id in self._needing and (name := field(definition, "name")) is not None
            and not self._is_decorated_away(definition) and self._source.names.scope_of(definition).id == root
        }  # fmt: skip
        for binding in self._source.names.imports:
            if binding.scope.id == root and (self._is_of_cuda(binding) or self._is_imported_need(binding)):
                found.add(binding.name)
            elif binding.scope.id == root and binding.name == "*":
                found.update(self._needed_by_star(binding.target))
        found.update(text_of(name) for name in self._aliases(self._places) if self._is_of_module(name))
        return frozenset(found) | self.compiled_names

    @property
    def compiled_names(self) -> frozenset[str]:
        """The names of the module that hold what it or another compiles, or import what a script builds."""
        held = (item.module for item in compiled_modules(self._ctx))
        made = frozenset(text_of(name) for name in held if name is not None and self._is_of_module(name))
        imports, root = self._source.names.imports, self._source.root.id
        own = (item for item in imports if item.scope.id == root and is_of_extension(item, self._ctx))
        return made | {item.name for item in own}

    @property
    def method_names(self) -> frozenset[str]:
        """The names of functions and methods that need it, which a text may choose."""
        return frozenset(text_of(field(item, "name") or item) for item in self._needing_definitions)

    def is_of_cuda(self, binding: Binding) -> bool:
        """Whether an import is of an extension of the project, or of a library that runs on CUDA only."""
        return self._is_of_cuda(binding)

    def _aliases(self, places: Iterable[int]) -> Iterator[Node]:
        """The variables and attributes that are set to what needs CUDA: ``run = BiasActCuda.apply``."""
        for place in places:
            node = self._source.node_at(place, place + 1)
            statement = self._source.enclosing(node, "assignment") if node is not None else None
            target, value = field(statement, "left"), field(statement, "right")
            if target is None or value is None or target.type not in ("identifier", "attribute"):
                continue
            if target.type == "attribute" and text_of(field(target, "object") or target) not in OWN:
                continue
            if refers_to(value, place) and (value.type != "call" or self._is_of_module(target)):
                yield target

    def _is_of_module(self, name: Node) -> bool:
        return name.type == "identifier" and parent_of(self._source.names.scope_of(name)) is None

    def given_to(self, path: str) -> frozenset[Given]:
        """What the file gives functions and classes of another that needs CUDA."""
        return self._gifts.to_file(path, self._places, self._needing_definitions)

    def registered(self) -> Iterator[Registered]:
        """The names under which the file registers what needs CUDA."""
        return registered(self._places, self._needing_definitions, self._source)

    @cached_property
    def _given_places(self) -> list[int]:
        """Where the file uses what its functions are given that needs CUDA.

        A function that many share does not need it for that: another caller gives it something else.
        """
        taking = list(self._gifts.taking(self._places, self._needing_definitions))
        for given in self._ctx.project.cuda.needs_given_to(self._source.path, self._ctx.options):
            taking += self._gifts.taking_of(given)
        return sorted(use.start_byte for name in taking for use in uses_of_parameter(name, self._source))

    @property
    def _needing_definitions(self) -> list[Node]:
        self._places  # noqa: B018 - finds them
        return [item for item in self._definitions if item.id in self._needing]

    def is_dispatched(self, given: Given) -> bool:
        """Whether a function of the file calls what it is given only where it has chosen it."""
        return any(map(self._is_chosen, self._gifts.taking_of(given)))

    def _is_chosen(self, parameter: Node) -> bool:
        """Whether every call of what a parameter holds is in one arm of a choice."""
        calls = list(uses_of_parameter(parameter, self._source))
        return bool(calls) and all(self._is_one_way(use) for use in calls)

    def _is_one_way(self, use: Node) -> bool:
        function = self._source.enclosing(use, "function_definition")
        if is_arm(use) or function is None:
            return function is not None
        spans = without_alternatives(function, self._tried)
        return not any(span.start <= use.start_byte < span.end for span in spans)

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
                    if not self._is_decorated_away(definition):
                        places.update(self._uses_of(definition))
            for name in [name for name in self._aliases(places) if name.id not in aliases]:
                aliases.add(name.id)
                places.update(use.start_byte for use in uses_of_target(name, self._source))
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
        held += [text_of(item.module) for item in compiled_modules(self._ctx) if item.module is not None]
        if self._ctx.options.target.device_module is None:  # which mmcv has for CUDA and the NPU
            held += loaded_from_mmcv(self._source)
        yield from (item.start_byte for item in own_operators(self._ctx) if not runs_on_cpu(item))
        yield from unnamed_needs(self._ctx)
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

    def _is_of_cuda(self, binding: Binding) -> bool:
        if extension_module(binding, self._ctx) is not None:
            return True
        return is_absent_on_npu(binding.target) or is_cuda_member(binding.target)

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
        return project.cuda.names_needing_cuda(self._source.path, module, self._ctx.options)

    def _needed_from(self, module: str, name: str) -> bool:
        project = self._ctx.project
        if not project.may_need_cuda(module.rpartition(".")[2] or name):
            return False
        return name in project.cuda.names_needing_cuda(self._source.path, module, self._ctx.options)

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
            is_module = self._ctx.types.is_module_class(definition)
            return any(method.id in self._needing for method in _methods(definition, is_module=is_module))
        if self._is_kernel(definition) or self._compiles(definition):
            return True
        if any(_is_among(places, Span.of(item)) for item in decorators_of(definition)):
            return True
        if not _is_among(places, Span.of(definition)):
            return False
        spans = self._ctx.once(
            ("spans", definition.id), lambda: without_alternatives(definition, self._tried)
        )
        return any(_is_among(places, span) for span in spans)

    def _is_decorated_away(self, definition: Node) -> bool:
        """Whether what a definition needs is hidden by what decorates it, which chooses another way."""
        return any(self.is_gift_chosen(gift) for gift in decorations_of(definition))

    def is_gift_chosen(self, gift: Gift) -> bool:
        """Whether what is given something calls it only where it has chosen it."""
        taking = self._gifts.taking_in_file(gift)
        if taking is not None:
            return self._is_chosen(taking)
        found = self._gifts.elsewhere(gift)
        return found is not None and self._ctx.project.cuda.is_dispatched(
            self._source.path, *found, self._ctx.options
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
            is_own = text_of(receiver) in ("self", "cls")
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
        return _is_among(self._builds, Span.of(definition))

    @cached_property
    def _builds(self) -> list[int]:
        """Where the file compiles CUDA sources."""
        return sorted(build.call.start_byte for build in self._ctx.cuda_builds.all())


def _is_among(places: list[int], span: Span) -> bool:
    return bisect_left(places, span.start) < bisect_left(places, span.end)


def needs_of(ctx: Context) -> CudaNeeds:
    """What needs CUDA in a file, the same object each time."""
    return ctx.shared(CudaNeeds)


def compiled_names_of(ctx: Context) -> frozenset[str]:
    """The names of a module that hold what it compiles; see :class:`CudaNeeds`."""
    return needs_of(ctx).compiled_names


def runs_on_cpu(use: Node) -> bool:
    """Whether a use of an extension is of a function that computes on the CPU: ``_C.nms_cpu``."""
    chain = chain_from_root(use)
    return _ON_CPU.search(chain.attributes[-1] if chain.attributes else text_of(use)) is not None


def _methods(owner: Node, *, is_module: bool) -> Iterator[Node]:
    """The methods of a class that every use of it runs; of a class that is no module of torch, what others
    call."""
    for method in functions_in(owner):
        name = text_of(field(method, "name"))
        is_public = not is_module and not name.startswith("_")
        if is_public or name in RUN_BY_THEMSELVES:
            yield method
