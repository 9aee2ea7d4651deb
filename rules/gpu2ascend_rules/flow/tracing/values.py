"""A word on its way through a program, and where its way ends."""

from __future__ import annotations

import enum
from typing import NamedTuple

from tree_sitter import Node

from ..names.files import ProgramFile
from ..verdicts import Role, Verdict

ITEM = "[]"
"""The access to any item of a list, a tuple or a set."""


ANY = "*"
"""The access to an entry whose key is not known."""


class Word(NamedTuple):
    """A string literal that is a word of a subject."""

    path: str
    start: int


class CallSite(NamedTuple):
    """A call that was entered, whose result a return gives."""

    file: ProgramFile
    node: Node
    entered: tuple[str, int]
    """The key of the function's definition."""

    @property
    def key(self) -> tuple[str, int, int]:
        """What is the same for each look-up."""
        return self.file.path, self.node.start_byte, self.node.end_byte


class Value(NamedTuple):
    """An expression that holds a word."""

    file: ProgramFile
    node: Node
    access: tuple[str, ...] = ()
    """The keys, attributes and items by which the word is reached from the expression, outermost first."""
    calls: tuple[CallSite, ...] = ()
    """The calls that the word was passed through and that have not returned, innermost last."""
    is_certain: bool = True
    """Whether each step is proven; else a name alone connects two of them."""
    text: str = ""
    """The word, or the text that was made of it, parts that are not known as ``{}``; empty for an object."""
    display: Node | None = None
    """The list, tuple, set or choice in which the word was written among others."""
    is_read: bool = False
    """Whether a name or a call gives it here."""
    is_kept: bool = False
    """Whether a name, a field or an entry has held it on the way."""

    @property
    def has_items(self) -> bool:
        """Whether the expression is a list, tuple or set with the word somewhere in it."""
        return bool(self.access) and self.access[0].startswith("[")

    @property
    def is_entry(self) -> bool:
        """Whether the word lies in an object or a dictionary, and not in plain lists."""
        return bool(self.access) and not self.is_boxed

    @property
    def is_boxed(self) -> bool:
        """Whether the expression is a list, tuple or set that holds the word, or such ones."""
        return bool(self.access) and all(part.startswith("[") for part in self.access)

    @property
    def part(self) -> Node | None:
        """The word's own expression among those of a list or tuple; None where its place is not known."""
        if not self.is_boxed:
            return self.node
        place = self.access[0][1:-1]
        items = [item for item in self.node.named_children if item.type != "comment"]
        is_known = place.isdigit() and self.node.type in ("list", "tuple") and int(place) < len(items)
        return items[int(place)] if is_known else None

    def at(self, node: Node, file: ProgramFile | None = None) -> Value:
        """The same at another expression."""
        return self._replace(node=node, file=file if file is not None else self.file, is_read=False)

    def within(self, key: str, node: Node) -> Value:
        """The value that holds this one under a key."""
        return self._replace(node=node, access=(key, *self.access))

    def taken(self, key: str, node: Node) -> Value | None:
        """What an access by a key gives; None where the word is under another."""
        if not self.access or self.access[0] != key:
            return None
        return self._replace(node=node, access=self.access[1:])

    def unboxed(self, node: Node) -> Value:
        """One item of the list that holds the word."""
        return self._replace(node=node, access=self.access[1:])

    def read_at(self, node: Node, file: ProgramFile, *, is_certain: bool) -> Value:
        """The same where it is read by a name, or given back by a call."""
        certain = self.is_certain and is_certain
        return self._replace(node=node, file=file, is_certain=certain, is_read=True, is_kept=True)

    def arrives_from(self, before: Value) -> bool:
        """Whether it is the word itself, read by a name or taken out of what held it."""
        return (self.is_read or bool(before.access)) and not self.access and bool(self.text)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two values the same step."""
        calls = tuple(call.key for call in self.calls)
        display = self.display.id if self.display is not None else 0
        return self.file.path, self.node.id, self.access, calls, self.text, display, self.is_kept


class EndKind(enum.Enum):
    """What the use of a word is."""

    TAKES = "takes"
    """A device is made of it, or a back end chosen, by torch or what uses its devices."""
    NAMED = "named"
    """It is given by a name of the subject to code that cannot be seen."""
    LEFT = "left"
    """It stands in code that depends on a torch which may be another module, and is left with that."""
    REFUSES = "refuses"
    """It is given to a library that has no NPU."""
    TESTED = "tested"
    """It is compared with words, or searched for them."""
    LISTED = "listed"
    """It must be one of a list of words."""
    CALLED = "called"
    """A variable, parameter, field or option holds it whose name is one of the subject."""
    OPTION = "option"
    """It is what an option of the command line is given or has as its default."""
    UNKNOWN = "unknown"
    """It goes where it cannot be followed."""
    SEEN = "seen"
    """A place that is no use, but may show what the word is: see its role."""
    KEPT = "kept"
    """A name, a field or an entry holds it."""
    COUNTED = "counted"
    """A number counts its letters: the text is cut there, or its length compared."""
    SPELLED = "spelled"
    """Another text is made of it: see its text."""

    @property
    def is_use(self) -> bool:
        """Whether something is done with the word, which such a place only shows or keeps."""
        return self not in (EndKind.SEEN, EndKind.KEPT, EndKind.COUNTED, EndKind.SPELLED)


class Met(NamedTuple):
    """What a word meets at a place where it must agree."""

    words: tuple[Word, ...] = ()
    is_served: bool = False
    """Whether the NPU's word is there already."""
    is_choice: bool = False
    """Whether the list is that of an option's choices, which change with its default."""
    flags: tuple[str, ...] = ()
    """The names by which a command line gives the option."""


class End(NamedTuple):
    """A use of a word."""

    kind: EndKind
    path: str
    start: int
    words: tuple[Word, ...] = ()
    """The words that it meets there, which must agree with it."""
    is_served: bool = False
    """Whether the NPU's word is there already."""
    is_choice: bool = False
    """Whether the list is that of an option's choices, which change with its default."""
    flags: tuple[str, ...] = ()
    """The names by which a command line gives the option."""
    is_certain: bool = True
    library: str = ""
    """The library that refuses it."""
    role: Role = Role.NEUTRAL
    """What the place alone makes of the word."""
    node: Node | None = None
    """The place."""
    is_proof: bool = True
    """Whether the place alone proves the role."""
    is_shared: bool = False
    """Whether other files may read what keeps it."""
    text: str = ""
    """The text that is made of it, parts that are not known as ``{}``."""

    @property
    def verdict(self) -> Verdict:
        """What the place alone makes of the word."""
        return Verdict(self.role, self.node, self.is_proof, self.library)


class Meeting(NamedTuple):
    """A comparison to which a word comes, by itself or in a list."""

    path: str
    start: int
    calls: tuple[tuple[str, int, int], ...]
    """The calls through which it came, innermost last."""

    def may_be_with(self, other: Meeting) -> bool:
        """Whether two words come there at once: through the same calls, as far as both came through any."""
        count = min(len(self.calls), len(other.calls))
        return not count or self.calls[-count:] == other.calls[-count:]


class Followed(NamedTuple):
    """Where the way of a word leads."""

    ends: frozenset[End]
    paths: frozenset[str]
    """The files that it leads through."""
    meetings: tuple[Meeting, ...]
    arrivals: tuple[Value, ...]
    """The word itself, and the expressions by which it is read."""

    @property
    def uses(self) -> list[End]:
        """The ends at which something is done with the word."""
        return [end for end in self.ends if end.kind.is_use]

    def joined(self, other: Followed) -> Followed:
        """Where two ways of one word lead."""
        return Followed(
            self.ends | other.ends,
            self.paths | other.paths,
            self.meetings + other.meetings,
            self.arrivals + other.arrivals,
        )


NOWHERE = Followed(frozenset(), frozenset(), (), ())
