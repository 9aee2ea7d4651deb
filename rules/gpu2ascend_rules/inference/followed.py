"""Whether a value can be followed all the way back, with what knows the other files of the project.

Who infers what a value *may* be forgets what it cannot follow: of ``a() if c else b()`` it answers what ``a``
gives when it has no idea of ``b``. For a proof every way by which the value can come must be known: this is
the walk, read as whether each way ends in something known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from tree_sitter import Node

from ..limits.walks import PROGRAM_WALK_LIMITS
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import field, text_of
from .walk.reading import LITERAL_TYPES, Answer, Others, Placed, Surely, Walk, Way
from .walk.targets import values_returned
from .walk.walker import Walker

_DEFINITIONS = ("function_definition", "class_definition")
_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")
_ASKED = frozenset({"identifier", "attribute", "call"})


class Location(NamedTuple):
    """A node with the file that it is in."""

    file: SourceFile
    node: Node


class Places(Protocol):
    """What knows the files of a project, such as jedi."""

    entry: SourceFile

    def knows(self, source: SourceFile, node: Node) -> bool:
        """Whether it has any idea of an expression."""

    def is_called_known(self, source: SourceFile, call: Node) -> bool:
        """Whether all that a call may call is known."""

    def called_functions(self, source: SourceFile, call: Node) -> Iterator[Location]:
        """The functions of the project that a call may call."""

    def definitions(self, source: SourceFile, name: Node) -> Sequence[Location | None] | None:
        """What a name is given; None for what the stubs have."""


def follows(places: Places, receiver: Node) -> bool:
    """Whether every way is known by which an expression of the entry gets its value."""
    reading, others = _Known(places), _Elsewhere(places)
    walker = Walker(places.entry, reading, limits=PROGRAM_WALK_LIMITS, others=others)
    found = walker.of(receiver)
    walker.forget()
    return found is Answer.YES


class _Known(Surely):
    """Whether every way ends in a literal, a definition, a stub or an annotation of known classes."""

    literals: Mapping[str, Answer] = {
        **dict.fromkeys(LITERAL_TYPES, Answer.YES),
        **dict.fromkeys((*_DEFINITIONS, *_IMPORTS), Answer.YES),
    }
    ways = frozenset({Way.BARE_ANNOTATIONS, Way.DRAWN, Way.ITEMS, Way.OPERANDS, Way.RESULTS})

    def __init__(self, places: Places) -> None:
        self._places = places

    def settled(self, node: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        if node.type == "type":
            return self.annotated(node, walk, depth)
        if node.type not in _ASKED:
            return None
        source = walk.source
        if not self._places.knows(source, node):
            return Answer.NO
        if node.type == "call":
            return None if self._places.is_called_known(source, node) else Answer.NO
        if node.type == "identifier" and not source.names.bindings_in_scope(text_of(node), node):
            return self._unbound(node, walk, depth)
        return None

    def _unbound(self, name: Node, walk: Walk[Answer], depth: int) -> Answer:
        """A builtin, or what a star import brings."""
        found = self._places.definitions(walk.source, name)
        return self.joined(Answer.YES if place is None else walk.at(place, depth) for place in found or ())

    def self_in(self, owner: Node | None, walk: Walk[Answer], depth: int) -> Answer | None:
        return Answer.YES if owner is not None else None

    def annotated(self, annotation: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        """Every class that an annotation names must be known: of ``A | B`` the rest is forgotten."""
        is_known = all(self._is_class(part, walk.source) for part in _named_in(annotation))
        return Answer.YES if is_known else Answer.NO

    def _is_class(self, part: Node, source: SourceFile) -> bool:
        if part.type == "string":
            return text_of(part).strip("'\"").replace(".", "").isidentifier()  # no choice between two
        return self._places.knows(source, part)

    def defined(self, binding: Binding, walk: Walk[Answer], depth: int) -> Answer | None:
        return Answer.YES

    def operation(self, node: Node, operands: Sequence[Answer]) -> Answer | None:
        return self.joined(iter(operands)) if node.type != "comparison_operator" else None


class _Elsewhere(Others[Answer]):
    """The other files of a project."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def settled(self, source: SourceFile, node: Node) -> Answer | None:
        """See the reading, which asks about every expression."""
        return None

    def imported(self, source: SourceFile, binding: Binding) -> Iterator[Placed]:
        """What an import leads to; for a module, and for what the stubs have, the import itself."""
        name = binding.node
        written = field(name, "alias") or (name.named_children[-1] if name.type == "dotted_name" else name)
        for place in self._places.definitions(source, written) or ():
            yield place if place is not None else Location(source, binding.statement)

    def passed(self, source: SourceFile, binding: Binding) -> Iterator[Placed]:
        """What calls give for a parameter is no proof: there may be others."""
        return iter(())

    def unpacked(
        self, source: SourceFile, binding: Binding, walk: Walk[Answer], depth: int
    ) -> Iterator[Placed]:
        """The whole of what several names are given."""
        value = field(binding.statement, "right")
        if value is not None:
            yield Location(source, value)

    def members(self, source: SourceFile, node: Node, walk: Walk[Answer], depth: int) -> Iterator[Placed]:
        """The owner, and what its class is given for the attribute; by the stubs it is known."""
        owner, name = field(node, "object"), field(node, "attribute")
        found = self._places.definitions(source, name) if name is not None else None
        if owner is not None and found:
            yield Location(source, owner)
            yield from (place for place in found if place is not None)

    def callees(self, source: SourceFile, call: Node, walk: Walk[Answer], depth: int) -> Iterator[Placed]:
        """The project's functions that are called, and the expression that says which."""
        function = field(call, "function")
        called = tuple(self._places.called_functions(source, call))
        if called and function is not None:
            yield Location(source, function)
            yield from called

    def returned(self, function: Placed) -> Iterator[Placed]:
        """The annotation of what a function returns, or all that it returns."""
        if function.node.type != "function_definition":
            yield function
            return
        annotation = field(function.node, "return_type")
        yield function
        if annotation is not None:
            yield Location(function.file, annotation)
        else:
            yield from (Location(function.file, value) for value in values_returned(function.node))


def _named_in(annotation: Node) -> Iterator[Node]:
    """The classes in an annotation; of ``Optional[A]`` that is A."""
    if annotation.type in ("identifier", "attribute", "string"):
        yield annotation
        return
    parts = annotation.named_children
    for part in parts[1:] if annotation.type in ("generic_type", "subscript") else parts:
        yield from _named_in(part)
