"""What a walk asks of whoever reads it: one answer for each kind of evidence, and what several of them make.

The walk knows how Python passes values on; a reading knows what they are. Every method may give None, which
means that this piece of evidence says nothing; the walk then looks at the next one, or stops and says why.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from tree_sitter import Node

from ...text.names import NameResolution
from ...text.scopes import Binding

if TYPE_CHECKING:
    from ...text.source_file import SourceFile
    from ..classes.class_definitions import ClassDefinitions

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
LITERAL_TYPES = (
    "integer", "float", "string", "concatenated_string", "true", "false", "none", "dictionary", "list",
    "tuple", "set", "list_comprehension", "dictionary_comprehension", "set_comprehension", "lambda",
    "generator_expression", "not_operator",
)  # fmt: skip
"""The types of the nodes that show by themselves what they are."""


class Stop(enum.Enum):
    """Why a walk did not get further."""

    ANNOTATION = "an annotation that names no known class"
    ATTRIBUTE = "an attribute of an unknown object"
    CALL = "a call of something that is not defined in the file"
    CONTEXT_MANAGER = "what a with statement binds"
    DEFINITION = "a function or class itself"
    DISAGREEMENT = "values of several kinds"
    EXPRESSION = "an expression that is not followed"
    IMPORT = "an imported object"
    LOOP = "an item of an unknown iterable"
    OPERATION = "an operation on unknown operands"
    OTHER_BINDING = "an except clause, a pattern or another statement that binds the name"
    OWN_CLASS = "a class of the file with unknown bases"
    PARAMETER = "a parameter without annotation"
    RETURN = "a function of the file that does not show what it returns"
    STAR_IMPORT = "a name that a star import may bring"
    SUBSCRIPT = "an item of an unknown container"
    TOO_DEEP = "too many steps"
    UNBOUND = "a name that the file does not bind"
    UNPACKING = "a part of an unknown sequence"
    USE = "a use that speaks against what the value would be by convention"


class Unfollowed(NamedTuple):
    """A place at which a walk stopped."""

    stop: Stop
    node: Node


class Way(enum.Enum):
    """A step that not every reading takes: it would give too weak an answer, or ask for too much."""

    AWAITING = "from ``await x`` to ``x``"
    BARE_ANNOTATIONS = "annotations of a name or an attribute that has no value beside them"
    BUFFERS = "the names that a module registers as buffers"
    CALLEES = "from a call of a name to the class or function of the file that the name is"
    DEFAULTS = "from a parameter to its default"
    DRAWN = "from what a loop draws to the iterable"
    ITEMS = "from an item to its container"
    LATEST = "from a name to what it was given last before the place, not to all that it is given"
    MEMBERS = "from an attribute to its object"
    OPERANDS = "either operand of ``or`` and ``and``"
    RESULTS = "from a call of an object to the object"
    RETURNS = "from a call to what the function returns"
    UNPACKING = "from a name to its part of a tuple"


class Placed(Protocol):
    """An expression with the file that it is in."""

    @property
    def file(self) -> SourceFile:
        """The file."""

    @property
    def node(self) -> Node:
        """The expression."""


class Walk(Protocol[V_co]):
    """What a reading may ask of the walk that it is asked by."""

    source: SourceFile
    classes: ClassDefinitions

    def of(self, expression: Node, depth: int = 0) -> V_co:
        """What an expression is. Readings pass on the depth that they were given."""

    def at(self, place: Placed, depth: int) -> V_co:
        """What an expression is, in this file or another."""

    def returned(self, function: Node, depth: int) -> V_co:
        """What a function of the file returns."""

    def stopped(self, stop: Stop, node: Node) -> V_co:
        """Nothing is known, for a reason; the more telling one where a reading knows it."""


class Reading(Generic[V]):
    """What values are, in one sense. It is asked by a walker and keeps nothing itself."""

    unknown: V
    """Nothing is known of the value."""
    pending: V
    """The value is being looked into: ``x = x.view(-1)`` is no evidence of its own."""
    literals: Mapping[str, V] = {}
    """What an expression is by the type of its node alone."""
    ways: frozenset[Way] = frozenset()
    guesses: bool = False
    """Whether further evidence is looked at where the values of a name, or its annotation, say nothing."""

    def joined(self, values: Iterator[V]) -> V:
        """What a value is that may be any of several."""
        raise NotImplementedError

    def joined_in_name(self, name: str, values: Iterator[V]) -> V:
        """What a variable is that is given several values."""
        return self.joined(values)

    def settled(self, node: Node, walk: Walk[V], depth: int) -> V | None:
        """What an expression is by the look of it, before it is followed."""
        return None

    def dead_end(self, node: Node, walk: Walk[V]) -> V:
        """What an expression is that cannot be followed."""
        return self.unknown

    def unbound(self, name: str) -> V | None:
        """What a name is that nothing in the file binds."""
        return None

    def self_in(self, owner: Node | None, walk: Walk[V], depth: int) -> V | None:
        """What ``self`` is in a class."""
        return None

    def annotated(self, annotation: Node, walk: Walk[V], depth: int) -> V | None:
        """What an annotation says."""
        return None

    def imported(self, binding: Binding, walk: Walk[V]) -> V | None:
        """What an imported object is."""
        return None

    def updated(self, binding: Binding) -> V | None:
        """What ``x += 1`` makes of a variable."""
        return None

    def defined(self, binding: Binding, walk: Walk[V], depth: int) -> V | None:
        """What the name of a function or class is, as a value."""
        return None

    def parameter(self, binding: Binding, walk: Walk[V]) -> V | None:
        """What a parameter is that has neither annotation nor default."""
        return None

    def counter(self) -> V | None:
        """What ``enumerate`` counts with."""
        return None

    def yielded(
        self, iterable: Node, place: tuple[int, ...], binding: Binding, walk: Walk[V], depth: int
    ) -> V | None:
        """What a loop draws from an iterable; ``place`` is where the name is in the loop's target."""
        return walk.of(iterable, depth) if Way.DRAWN in self.ways else None

    def unpacked(self, value: Node, walk: Walk[V], depth: int) -> V | None:
        """What each thing is in the tuple that an expression gives."""
        return None

    def buffer(self) -> V | None:
        """What a registered buffer is."""
        return None

    def member(self, owner: Node, name: str, walk: Walk[V], depth: int) -> V | None:
        """What an attribute of an object is."""
        return walk.of(owner, depth) if Way.MEMBERS in self.ways else None

    def made_by(self, function: NameResolution, call: Node) -> V | None:
        """What a call of a qualified name gives."""
        return None

    def plain_call(self, function: Node, call: Node, walk: Walk[V], depth: int) -> V | None:
        """What a call of a name gives, before it is looked up."""
        return None

    def definition_behind(self, function: Node, walk: Walk[V]) -> Node | None:
        """The class or function of the file that a name calls."""
        return walk.classes.definition_of(function) if Way.CALLEES in self.ways else None

    def instance_of(self, definition: Node, walk: Walk[V], depth: int) -> V | None:
        """What an instance of one of the file's classes is."""
        return None

    def method(self, receiver: Node, name: str, walk: Walk[V], depth: int) -> V | None:
        """What a call of a method gives."""
        return None

    def applied(self, function: Node, walk: Walk[V], depth: int) -> V | None:
        """What a call of an object gives."""
        return walk.of(function, depth) if Way.RESULTS in self.ways else None

    def item(self, holder: V, node: Node, walk: Walk[V], depth: int) -> V | None:
        """What ``holder[...]`` is."""
        return holder if Way.ITEMS in self.ways else None

    def truth(self) -> V | None:
        """What ``is`` and ``in`` give."""
        return None

    def operation(self, node: Node, operands: Sequence[V]) -> V | None:
        """What an operator makes of its operands."""
        return None


class ReadingOfAny(Reading[V]):
    """Whether a value may be one thing: it may, if one of several that it can be is that."""

    sought: V

    def joined(self, values: Iterator[V]) -> V:
        found = set(values)
        if self.sought in found:
            return self.sought
        return self.pending if found == {self.pending} else self.unknown


class ReadingOfAll(Reading[V]):
    """Whether a value is one thing for certain: it is, if each of those that it can be is that."""

    def joined(self, values: Iterator[V]) -> V:
        found = set(values)
        decided = found - {self.pending}
        if found and not decided:
            return self.pending
        return decided.pop() if len(decided) == 1 else self.unknown


class Answer(enum.Enum):
    """What a reading says that asks for one thing only."""

    YES = "it is"
    NO = "it is not, or nothing shows that it is"
    PENDING = "being looked into"


class MayBe(ReadingOfAny[Answer]):
    """Whether a value may be the one thing."""

    sought = Answer.YES
    unknown = Answer.NO
    pending = Answer.PENDING


class Surely(ReadingOfAll[Answer]):
    """Whether a value is the one thing, by all that it can be."""

    unknown = Answer.NO
    pending = Answer.PENDING


class Others(Protocol[V]):
    """What other files add to a walk: places from which a value comes that its own file does not show."""

    def settled(self, source: SourceFile, node: Node) -> V | None:
        """What an expression is without being followed."""

    def imported(self, source: SourceFile, binding: Binding) -> Iterator[Placed]:
        """What an imported name is given in the module that it comes from."""

    def passed(self, source: SourceFile, binding: Binding) -> Iterator[Placed]:
        """What calls give for a parameter."""

    def unpacked(self, source: SourceFile, binding: Binding, walk: Walk[V], depth: int) -> Iterator[Placed]:
        """What a name gets of several things that are assigned at once."""

    def members(self, source: SourceFile, node: Node, walk: Walk[V], depth: int) -> Iterator[Placed]:
        """What an attribute is given, wherever that is."""

    def callees(self, source: SourceFile, call: Node, walk: Walk[V], depth: int) -> Iterator[Placed]:
        """The functions and classes that a call may call."""

    def returned(self, function: Placed) -> Iterator[Placed]:
        """What a function returns."""
