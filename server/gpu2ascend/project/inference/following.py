"""Whether jedi can follow a value all the way back.

jedi infers what a value *may* be, and forgets what it cannot follow: of ``a() if c else b()`` it answers what
``a`` gives when it has no idea of ``b``. For a proof every way by which the value can come must be known.
That is the walk of the rules (:mod:`gpu2ascend_rules.inference.walk`), read as whether each way ends in
something known. The project's other files come to it by jedi: imports, attributes, what is called.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from gpu2ascend_rules.hosting import (
    LITERAL_TYPES,
    Others,
    Placed,
    Reading,
    Walk,
    Walker,
    Way,
    values_returned,
)
from gpu2ascend_rules.limits.walks import PROGRAM_WALK_LIMITS
from gpu2ascend_rules.text.scopes import Binding
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field, text_of

from .jedi_places import JediPlace, JediPlaces

_DEFINITIONS = ("function_definition", "class_definition")
_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")
_ASKED = frozenset({"identifier", "attribute", "call"})


class Knowledge(enum.Enum):
    """What is known of the ways by which a value comes."""

    FULL = "all of them"
    OPEN = "not all of them"
    PENDING = "being looked into"


def follows(places: JediPlaces, receiver: Node) -> bool:
    """Whether every way is known by which an expression of the entry gets its value."""
    reading, others = _Known(places), _Jedi(places)
    walker = Walker(places.entry, reading, limits=PROGRAM_WALK_LIMITS, others=others)
    found = walker.of(receiver)
    walker.forget()
    return found is Knowledge.FULL


class _Known(Reading[Knowledge]):
    """Whether every way ends in a literal, a definition, a stub or an annotation of known classes."""

    unknown = Knowledge.OPEN
    pending = Knowledge.PENDING
    literals: Mapping[str, Knowledge] = {
        **dict.fromkeys(LITERAL_TYPES, Knowledge.FULL),
        **dict.fromkeys((*_DEFINITIONS, *_IMPORTS), Knowledge.FULL),
    }
    ways = frozenset({Way.BARE_ANNOTATIONS, Way.DRAWN, Way.ITEMS, Way.OPERANDS, Way.RESULTS})

    def __init__(self, places: JediPlaces) -> None:
        self._places = places

    def joined(self, values: Iterator[Knowledge]) -> Knowledge:
        found = set(values)
        if Knowledge.OPEN in found or not found:
            return Knowledge.OPEN
        return Knowledge.FULL if Knowledge.FULL in found else Knowledge.PENDING

    def settled(self, node: Node, walk: Walk[Knowledge], depth: int) -> Knowledge | None:
        if node.type == "type":
            return self.annotated(node, walk, depth)
        if node.type not in _ASKED:
            return None
        source = walk.source
        if not self._places.knows(source, node):
            return Knowledge.OPEN
        if node.type == "call":
            return None if self._places.is_called_known(source, node) else Knowledge.OPEN
        if node.type == "identifier" and not source.names.bindings_in_scope(text_of(node), node):
            return self._unbound(node, walk, depth)
        return None

    def _unbound(self, name: Node, walk: Walk[Knowledge], depth: int) -> Knowledge:
        """A builtin, or what a star import brings."""
        found = self._places.definitions(walk.source, name)
        return self.joined(
            Knowledge.FULL if place is None else walk.at(place, depth) for place in found or ()
        )

    def self_in(self, owner: Node | None, walk: Walk[Knowledge], depth: int) -> Knowledge | None:
        return Knowledge.FULL if owner is not None else None

    def annotated(self, annotation: Node, walk: Walk[Knowledge], depth: int) -> Knowledge | None:
        """Every class that an annotation names must be known: of ``A | B`` jedi forgets what it is not."""
        is_known = all(self._is_class(part, walk.source) for part in _named_in(annotation))
        return Knowledge.FULL if is_known else Knowledge.OPEN

    def _is_class(self, part: Node, source: SourceFile) -> bool:
        if part.type == "string":
            return text_of(part).strip("'\"").replace(".", "").isidentifier()  # no choice between two
        return self._places.knows(source, part)

    def defined(self, binding: Binding, walk: Walk[Knowledge], depth: int) -> Knowledge | None:
        return Knowledge.FULL

    def operation(self, node: Node, operands: Sequence[Knowledge]) -> Knowledge | None:
        return self.joined(iter(operands)) if node.type != "comparison_operator" else None


class _Jedi(Others[Knowledge]):
    """The other files of a project, as jedi comes to them."""

    def __init__(self, places: JediPlaces) -> None:
        self._places = places

    def settled(self, source: SourceFile, node: Node) -> Knowledge | None:
        """See the reading, which asks jedi about every expression."""
        return None

    def imported(self, source: SourceFile, binding: Binding) -> Iterator[Placed]:
        """What an import leads to; for a module, and for what the stubs have, the import itself."""
        name = binding.node
        written = field(name, "alias") or (name.named_children[-1] if name.type == "dotted_name" else name)
        for place in self._places.definitions(source, written) or ():
            yield place if place is not None else JediPlace(source, binding.statement)

    def passed(self, source: SourceFile, binding: Binding) -> Iterator[Placed]:
        """What calls give for a parameter is no proof: there may be others."""
        return iter(())

    def unpacked(
        self, source: SourceFile, binding: Binding, walk: Walk[Knowledge], depth: int
    ) -> Iterator[Placed]:
        """The whole of what several names are given."""
        value = field(binding.statement, "right")
        if value is not None:
            yield JediPlace(source, value)

    def members(self, source: SourceFile, node: Node, walk: Walk[Knowledge], depth: int) -> Iterator[Placed]:
        """The owner, and what its class is given for the attribute; by the stubs it is known."""
        owner, name = field(node, "object"), field(node, "attribute")
        found = self._places.definitions(source, name) if name is not None else None
        if owner is not None and found:
            yield JediPlace(source, owner)
            yield from (place for place in found if place is not None)

    def callees(self, source: SourceFile, call: Node) -> Iterator[Placed]:
        """The project's functions that are called, and the expression that says which."""
        function = field(call, "function")
        called = tuple(self._places.called_functions(source, call))
        if called and function is not None:
            yield JediPlace(source, function)
            yield from called

    def returned(self, function: Placed) -> Iterator[Placed]:
        """The annotation of what a function returns, or all that it returns."""
        if function.node.type != "function_definition":
            yield function
            return
        annotation = field(function.node, "return_type")
        yield function
        if annotation is not None:
            yield JediPlace(function.file, annotation)
        else:
            yield from (JediPlace(function.file, value) for value in values_returned(function.node))


def _named_in(annotation: Node) -> Iterator[Node]:
    """The classes in an annotation; of ``Optional[A]`` that is A."""
    if annotation.type in ("identifier", "attribute", "string"):
        yield annotation
        return
    parts = annotation.named_children
    for part in parts[1:] if annotation.type in ("generic_type", "subscript") else parts:
        yield from _named_in(part)
