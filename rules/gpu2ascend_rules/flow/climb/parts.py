"""What the parts of the flow hand to one another, and what each may ask the others.

The parts follow a value in turns, through calls into variables and from variables back into calls. Each knows
the others only by these protocols, so that no module of the flow imports another in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from tree_sitter import Node

from ...engine.context import Context
from ...inference.walk.answers import Answers
from .subject import Subject
from .verdicts import Verdict


class Value(NamedTuple):
    """A text of some subject, on its way through the file."""

    node: Node
    """The expression that has the value."""
    text: str
    """The text, parts that are not known as ``{}``."""
    boxed: bool = False
    """Whether the expression is a list, tuple or set that holds the text."""
    others: tuple[str, ...] = ()
    """The other texts of that list."""

    def is_mixed(self, subject: Subject) -> bool:
        """Whether the list also holds texts that cannot be of the subject."""
        return not all(subject.beside(text) for text in self.others)

    def is_crowded(self, subject: Subject) -> bool:
        """Whether the list has the subject's alternatives already."""
        return any(subject.rival(text) for text in self.others)

    def moved(self, node: Node) -> Value:
        """The same value at an expression around it."""
        return self._replace(node=node)

    def unboxed(self, node: Node) -> Value:
        """An element of the list, at another expression."""
        return Value(node, self.text)


Step = Value | Verdict


class ClimberPart(Protocol):
    """Follows a value outwards; see :mod:`.climber`."""

    def climb(self, value: Value) -> Verdict: ...


class CallsPart(Protocol):
    """What a call does with an argument; see :mod:`.calls.arguments`."""

    def keyword(self, value: Value, call: Node, name: str) -> Step: ...

    def positional(self, value: Value, call: Node, position: int) -> Step: ...

    def unplaced(self, value: Value, call: Node) -> Step: ...

    def entry_later(self, value: Value, call: Node, dictionary: Node, key: str) -> Verdict | None: ...

    def qualified(self, call: Node) -> str | None: ...


class OptionsPart(Protocol):
    """What an option is declared with; see :mod:`.options`."""

    def setting(self, value: Value, call: Node, name: str) -> Verdict: ...

    def preset(self, value: Value, name: str) -> Verdict: ...

    def held(self, value: Value, call: Node, name: str) -> Verdict | None: ...

    def choice(self, value: Value, call: Node) -> Verdict: ...

    def flag(self, value: Value, call: Node, position: int) -> Verdict: ...


class ComparisonsPart(Protocol):
    """What is compared with a value of the subject, and what is one; see :mod:`.comparisons`."""

    def operand(self, value: Value, comparison: Node) -> Verdict: ...

    def case(self, value: Value, pattern: Node) -> Verdict: ...

    def is_named(self, expression: Node) -> bool: ...

    def is_literal_type(self, annotation: Node) -> bool: ...


class DictionariesPart(Protocol):
    """What dictionaries do with their keys and values; see :mod:`.dictionaries`."""

    def pair(self, value: Value, pair: Node) -> Step: ...

    def keyword_entry(self, value: Value, call: Node, name: str) -> Verdict: ...

    def item(self, value: Value, target: Node) -> Verdict: ...


class VariablesPart(Protocol):
    """What the names that hold a value are used as; see :mod:`.variables`."""

    def assigned(self, value: Value, statement: Node) -> Verdict: ...

    def augmented(self, value: Value, statement: Node) -> Verdict: ...

    def stored(self, value: Value, target: Node) -> Verdict: ...

    def bound(self, value: Value, name: Node) -> Verdict: ...

    def default(self, value: Value, parameter: Node) -> Verdict: ...

    def parameter(self, value: Value, name: Node) -> Verdict: ...

    def iterated(self, value: Value, loop: Node) -> Verdict: ...

    def drawn_with(self, value: Value, call: Node, place: int, count: int) -> Verdict: ...

    def returned(self, value: Value, statement: Node) -> Verdict: ...

    def put_into(self, value: Value, receiver: Node) -> Verdict: ...

    def by_name(self, value: Value, node: Node | None) -> Verdict: ...

    def combined(
        self, value: Value, names: Iterable[str], uses: Iterable[Verdict], *, exported: bool
    ) -> Verdict: ...

    def uses_of_name(self, name: str, scope: Node, value: Value) -> Verdict: ...

    def uses_of_attribute(self, node: Node, name: str, value: Value) -> Verdict: ...

    def uses_of_option(self, name: str, value: Value) -> Verdict: ...

    def attributes(self, name: str) -> Iterator[Node]: ...


class Flow(Protocol):
    """The whole, as each of its parts sees it; see :class:`.subject_flow.SubjectFlow`."""

    ctx: Context
    subject: Subject
    reached_foreign: dict[Verdict, None]
    answers: Answers
    names: int

    @property
    def calls(self) -> CallsPart: ...

    @property
    def options(self) -> OptionsPart: ...

    @property
    def climber(self) -> ClimberPart: ...

    @property
    def comparisons(self) -> ComparisonsPart: ...

    @property
    def dictionaries(self) -> DictionariesPart: ...

    @property
    def variables(self) -> VariablesPart: ...

    @property
    def is_foreign_file(self) -> bool: ...

    @property
    def knows_foreign(self) -> bool: ...
