"""Which calls of a file compile CUDA sources: through variables and functions around ``load``.

The sources of ``torch.utils.cpp_extension.load`` are rarely a literal in the call: they are collected in a
variable, or a function of the project is given them. All that is asked of a value is which names of source
files are written in it and in what it is made of; no path is computed. It is a reading of the one walk in
which every name in an expression counts, and of a function every name in its body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from tree_sitter import Node

from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS, WALK_LIMITS
from ...text.scopes import Binding, BindingKind
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, call_of, enclosing, field, is_field, last_name, same, text_of
from ..walk.reading import Reading, Walk, Way
from ..walk.walker import Walker

LOADERS = frozenset({f"torch.utils.cpp_extension.{name}" for name in ("load", "load_inline")})
SOURCES = "sources"
"""The parameter of ``load`` and, as a rule, of the functions around it."""
_CUDA = re.compile(r"\.cuh?['\"]")
_CUDA_IN_BYTES = re.compile(_CUDA.pattern.encode())
_SOURCE = re.compile(r"\.(?:cuh?|c|cc|cpp|cxx|mm)['\"]")
_FILLING = frozenset({"append", "extend", "insert"})
_NO_BUILDERS = frozenset({
    *_FILLING, "load", "load_inline", "CUDAExtension", "CppExtension", "join", "glob", "sorted", "set",
    "list", "tuple", "print", "filter", "map",
})  # fmt: skip
"""What makes nothing of a list of sources by itself, or is looked at as what it is."""
_KEEP = frozenset({"dict", "update"})
"""What keeps keywords for a call that is elsewhere."""
_SPLATS = {"list_splat_pattern": "list_splat", "dictionary_splat_pattern": "dictionary_splat"}


def names_cuda_source(data: bytes) -> bool:
    """Whether a text names a CUDA source at all."""
    return _CUDA_IN_BYTES.search(data) is not None


class Build(NamedTuple):
    """A call that compiles CUDA sources: of ``load``, or of a function that hands them to it."""

    call: Node

    @property
    def function(self) -> Node:
        """What is called."""
        return field(self.call, "function") or self.call

    @property
    def module(self) -> Node | None:
        """The name that keeps the module which the call gives."""
        target = field(parent_of(self.call), "left")
        return target if target is not None and target.type == "identifier" else None


def given_in_list(string: Node) -> Node | None:
    """The call that is given a CUDA source by position, in a list: ``get_plugin('p', ['p.cpp', 'p.cu'])``."""
    holder = parent_of(_path_with(string))
    text = text_of(string)
    is_file = text.rstrip("'\"").endswith((".cu", ".cuh")) and "*" not in text and text[1:2] != "."
    if holder is None or holder.type != "list" or not is_file:
        return None
    arguments = parent_of(holder)
    call = parent_of(arguments) if arguments is not None and arguments.type == "argument_list" else None
    if call is None or call.type != "call" or last_name(call) in _NO_BUILDERS:
        return None
    return call


def _path_with(string: Node) -> Node:
    """The path that a text is the end of: ``os.path.join(here, 'p.cu')``, ``here / 'p.cu'``."""
    parent = parent_of(string)
    if parent is not None and parent.type == "binary_operator":
        return parent
    call = parent_of(parent) if parent is not None and parent.type == "argument_list" else None
    return call if call is not None and last_name(call) == "join" else string


class _Value(NamedTuple):
    """What is written in a value, and in all that it is made of."""

    has_cuda: bool = False
    has_source: bool = False
    parameters: tuple[Binding, ...] = ()
    """The parameters that it is made of, in text order."""


class CudaBuilds:
    """The calls of one file that compile CUDA sources. Every value is read once, however many use it."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._reading = _WrittenIn()
        self._walker = Walker(source, self._reading)
        self._calls: dict[str, tuple[Node, ...]] = {}
        self._asked: dict[int, tuple[tuple[Build, ...], bool]] = {}

    def all(self) -> Iterator[Build]:
        """Every such call, each once."""
        found: dict[int, Build] = {}
        for build in chain(self._by_loaders(), self._by_keywords(), self._by_lists()):
            found.setdefault(build.call.id, build)
        yield from found.values()

    def _by_loaders(self) -> Iterator[Build]:
        for identifier in chain.from_iterable(map(self._source.identifiers, ("load", "load_inline"))):
            call = enclosing(identifier, "call")
            if call is not None and self._source.names.called_in(call) in LOADERS:
                yield from self.of_load(call)

    def _by_keywords(self) -> Iterator[Build]:
        for identifier in self._source.identifiers(SOURCES):
            keyword = parent_of(identifier)
            if keyword is not None and keyword.type == "keyword_argument" and is_field(identifier, "name"):
                call = enclosing(keyword, "call")
                if call is not None and self.is_given_cuda(keyword):
                    yield Build(call)

    def _by_lists(self) -> Iterator[Build]:
        for match in _CUDA_IN_BYTES.finditer(self._source.data):
            inner = self._source.node_at(match.start(), match.start() + 1)
            string = enclosing(inner, "string") if inner is not None else None
            call = given_in_list(string) if string is not None else None
            if call is not None:
                yield Build(call)

    def of_load(self, call: Node) -> tuple[Build, ...]:
        """The calls that make a call of ``load`` compile CUDA sources: itself, or those of the functions
        around it."""
        return self._of(call)[0]

    def is_unknown(self, call: Node) -> bool:
        """Whether nothing in the file says what a call of ``load`` compiles."""
        return not self._of(call)[1]

    def is_given_cuda(self, keyword: Node) -> bool:
        """Whether the value of ``sources=`` names CUDA sources, in the call of whatever function."""
        value, call = field(keyword, "value"), enclosing(keyword, "call")
        if call is None or last_name(call) in _KEEP:
            return False
        return value is not None and self._value([value]).has_cuda

    def _of(self, call: Node) -> tuple[tuple[Build, ...], bool]:
        known = self._asked.get(call.id)
        if known is None:
            known = self._asked[call.id] = self._looked_into(call)
        return known

    def _looked_into(self, call: Node) -> tuple[tuple[Build, ...], bool]:
        if arguments_of(call).keyword("cuda_sources") is not None or _CUDA.search(text_of(call)):
            return (Build(call),), True
        value = self._value(_sources_of(call))
        if value.has_cuda:
            return (Build(call),), True
        builds, is_known = self._passed(value.parameters)
        return builds, value.has_source or is_known or _is_inline(call)

    def _passed(self, parameters: tuple[Binding, ...]) -> tuple[tuple[Build, ...], bool]:
        """The calls that give parameters CUDA sources, and whether any gives them sources, through the
        functions around each other. Every parameter is looked at once."""
        builds: dict[int, Build] = {}
        is_known = False
        seen = {parameter.node.id for parameter in parameters}
        waiting = [(parameter, 1) for parameter in parameters]
        for parameter, callers in waiting:
            for call in self._calls_of(parameter.scope):
                value = self._value(_given_for(parameter, call))
                is_known |= value.has_source
                if value.has_cuda:
                    builds[call.id] = Build(call)
                further = [item for item in value.parameters if item.node.id not in seen]
                if callers < WALK_LIMITS.callers:
                    seen.update(item.node.id for item in further)
                    waiting += [(item, callers + 1) for item in further]
        return tuple(builds.values()), is_known

    def _calls_of(self, function: Node) -> tuple[Node, ...]:
        """The calls of what is named like a function of the file; of a method, on whatever object."""
        name = text_of(field(function, "name") or function) if function.type == "function_definition" else ""
        if name not in self._calls:
            found = [
                call
                for identifier in (self._source.identifiers(name) if name else ())
                for call in (call_of(_whole(identifier)),)
                if call is not None
            ]
            self._calls[name] = tuple(found[: FORWARD_LIMITS.uses])
        return self._calls[name]

    def _value(self, expressions: Iterable[Node]) -> _Value:
        """What expressions are made of."""
        return self._reading.joined(self._walker.of(expression) for expression in expressions)


class _WrittenIn(Reading[_Value]):
    """What source files are named in a value: in the expression, and in what follows its names."""

    unknown = _Value()
    pending = _Value()
    ways = frozenset({Way.CALLEES})

    def joined(self, values: Iterator[_Value]) -> _Value:
        found = list(values)
        parameters = {item.node.id: item for value in found for item in value.parameters}
        return _Value(
            any(value.has_cuda for value in found),
            any(value.has_source for value in found),
            tuple(sorted(parameters.values(), key=lambda item: item.node.start_byte)),
        )

    def settled(self, node: Node, walk: Walk[_Value], depth: int) -> _Value | None:
        if node.type == "identifier":
            return self._variable(node, walk, depth)
        text = text_of(node)
        written = _Value(bool(_CUDA.search(text)), bool(_SOURCE.search(text)))
        names = (item for item in nodes_in(node, "string") if item.type == "identifier")
        read = (item for item in names if walk.source.names.is_reference(item))
        behind = (walk.of(item, depth) for item in islice(read, FORWARD_LIMITS.items))
        return self.joined(chain([written], behind))

    def _variable(self, name: Node, walk: Walk[_Value], depth: int) -> _Value:
        """What a variable is given, asked for once, where it is bound first."""
        bindings = walk.source.names.bindings_in_scope(text_of(name), name)
        if not bindings:
            return self.unknown
        if not same(bindings[0].node, name):
            return walk.of(bindings[0].node, depth)
        parameters = [item for item in bindings if item.kind is BindingKind.PARAMETER]
        given = (self._given(item, walk, depth) for item in _given_to(text_of(name), bindings, walk.source))
        return self.joined(chain([_Value(parameters=tuple(parameters))], given))

    def _given(self, value: Node, walk: Walk[_Value], depth: int) -> _Value:
        """What a variable is given; what a function gets for its parameters is in the call of it."""
        found = walk.of(value, depth)
        if value.type != "block":
            return found
        outer = (item for item in found.parameters if not same(item.scope, parent_of(value)))
        return found._replace(parameters=tuple(outer))


def _given_to(name: str, bindings: tuple[Binding, ...], source: SourceFile) -> Iterator[Node]:
    """What a variable is given: assigned, added to it, drawn from a loop, the default of a parameter."""
    bound = (item for binding in bindings for item in _bound(binding))
    uses = source.names.readers(name, bindings[0].scope)
    added = (item for use in uses[: FORWARD_LIMITS.uses] for item in _put_into(use))
    return islice(chain(bound, added), FORWARD_LIMITS.values)


def _is_inline(call: Node) -> bool:
    """Whether a call compiles C++ that is written in the code: without ``cuda_sources`` it is that alone."""
    return text_of(field(call, "function") or call).endswith("load_inline")


def _sources_of(call: Node) -> Iterator[Node]:
    """What a call of ``load`` is given as sources; also what it is given that may hold them."""
    arguments = arguments_of(call)
    given = arguments.get(SOURCES, 1)
    if given is not None:
        yield given.value
    holder = field(call, "arguments")
    if given is None and arguments.unpacked and holder is not None:
        yield from (item for item in holder.named_children if item.type in _SPLATS.values())


def _given_for(parameter: Binding, call: Node) -> Iterator[Node]:
    """What a call gives for a parameter."""
    holder = parent_of(parameter.node)
    splat = _SPLATS.get(holder.type) if holder is not None else None
    arguments = arguments_of(call)
    if splat is not None:  # nothing says which of them: ``sources`` is among them, if any is
        is_keyword = splat == "dictionary_splat"
        yield from (item.value for item in arguments.items if (item.keyword is not None) is is_keyword)
        return
    at = _position(parameter, call)
    given = arguments.keyword(parameter.name)
    given = given or (arguments.at(at) if at is not None else None)
    if given is not None:
        yield given.value


def _position(parameter: Binding, call: Node) -> int | None:
    """The index of the argument that a parameter takes; the object of a method does not count."""
    parameters = field(parameter.scope, "parameters")
    if parameters is None:
        return None
    for index, item in enumerate(parameters.named_children):
        if same(item, parameter.node) or same(parent_of(parameter.node), item):
            first = text_of(parameters.named_children[0])
            is_method = first in ("self", "cls") and text_of(field(call, "function") or call).find(".") > 0
            return index - is_method
    return None


def _bound(binding: Binding) -> Iterator[Node]:
    """The expressions that a binding gives its name."""
    body = field(binding.statement, "body") if binding.kind is BindingKind.DEFINITION else None
    if binding.value is not None:
        yield binding.value
    elif body is not None:  # what a function of the file returns is written in it
        yield body
    elif binding.kind in (BindingKind.LOOP, BindingKind.ASSIGNMENT, BindingKind.OTHER):
        right = field(binding.statement, "right")
        if right is not None:
            yield right


def _put_into(use: Node) -> Iterator[Node]:
    """What ``use.append(…)`` and the like put into a list."""
    attribute = parent_of(use)
    if attribute is None or attribute.type != "attribute" or not is_field(use, "object"):
        return
    call = call_of(attribute)
    if call is not None and text_of(field(attribute, "attribute") or attribute) in _FILLING:
        yield from (item.value for item in arguments_of(call).items)


def _whole(identifier: Node) -> Node:
    """The attribute whose last name an identifier is, else itself."""
    parent = parent_of(identifier)
    is_last = parent is not None and parent.type == "attribute" and is_field(identifier, "attribute")
    return parent if is_last and parent is not None else identifier
