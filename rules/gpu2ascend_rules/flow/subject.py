"""What a subject is: the table that is asked where a text of some kind is used as what it names."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..inference.kinds import Kind
from ..model.versions import Version
from .verdicts import Role


class PlaceKind(enum.Enum):
    """Where a text can be without proof of what it is; a subject says what it counts as there."""

    ELSEWHERE = "elsewhere"
    """A place behind which a value is not followed."""
    INDEX = "index"
    """The key of a subscript or of ``get``, the name of an attribute, a setting of an option."""
    ARGUMENT = "argument"
    """An argument of a function that nothing is known of."""
    KEYWORD = "keyword"
    """The same by a keyword that is no name of the subject."""
    COMPARED = "compared"
    """Compared with what is not known to be of the subject."""
    MEMBERSHIP = "membership"
    """In a list that something not known to be of the subject is looked up in."""
    PATTERN = "pattern"
    """One of several alternatives of a ``case`` for a value of the subject."""
    SEARCHED = "searched"
    """Searched for in what is not known to be of the subject."""
    NAME = "name"
    """Bound to a name that says nothing, whose uses decide nothing."""
    ENTRY = "entry"
    """A dictionary's value whose uses decide nothing."""
    NAMED_ENTRY = "named entry"
    """The same under a key that is a name of the subject."""
    LITERAL = "literal"
    """A value of ``Literal[...]``."""
    NAMED_LITERAL = "named literal"
    """The same in the annotation of a name of the subject."""


_OTHERWISE: Mapping[PlaceKind, Role] = {
    PlaceKind.ELSEWHERE: Role.SHOWN,
    PlaceKind.INDEX: Role.SHOWN,
    PlaceKind.ARGUMENT: Role.UNKNOWN,
    PlaceKind.KEYWORD: Role.UNKNOWN,
    PlaceKind.COMPARED: Role.SHOWN,
    PlaceKind.MEMBERSHIP: Role.SHOWN,
    PlaceKind.PATTERN: Role.MEMBER,
    PlaceKind.SEARCHED: Role.SHOWN,
    PlaceKind.NAME: Role.SHOWN,
    PlaceKind.ENTRY: Role.SHOWN,
    PlaceKind.NAMED_ENTRY: Role.UNKNOWN,
    PlaceKind.LITERAL: Role.SHOWN,
    PlaceKind.NAMED_LITERAL: Role.OPTION,
}
SAYS = frozenset(
    {
        "print", "info", "debug", "warning", "warn", "error", "critical", "exception", "log", "write",
        "skip", "skipif", "exit",
    }
)  # fmt: skip
"""Functions that show a text to a person, whatever it is."""


class Sink(NamedTuple):
    """What a callable takes of a subject."""

    position: int | None = None
    """The position of the argument; ``None`` for none by position."""
    parameters: tuple[str, ...] = ()
    """The keywords."""
    since: Version | None = None
    """The first torch version in which a literal text is another rule's no more."""
    everywhere: bool = False
    """Whether every position takes it."""

    def takes(self, position: int) -> bool:
        """Whether the argument at a position is taken."""
        return self.everywhere or self.position == position


class Apart(NamedTuple):
    """What a text means for a callable that is an exception."""

    role: Role
    library: str


def _never(text: str) -> bool:
    return False


def _always(text: str) -> bool:
    return True


def _no_callee(name: str, position: int) -> bool:
    return False


def _no_node(node: Node, ctx: Context) -> bool:
    return False


def _plain_keys(keys: Sequence[str | None]) -> Role:
    return Role.SHOWN


def _no_sinks() -> Mapping[str, Sink]:
    return {}


@dataclass(frozen=True, eq=False)
class Subject:
    """A table of one kind of text: its words, its sinks, and what counts where nothing is proved.

    Only ``name``, ``is_text``, ``names`` and some sinks are needed; the rest has a plain default.
    """

    name: str
    is_text: Callable[[str], bool]
    """Whether a text, its unknown parts as ``{}``, is still of the subject after it was put together."""
    may_be_text: Callable[[str], bool] | None = None
    """Whether a text may become one when its unknown parts are known; ``is_text`` when not given."""
    names: Callable[[str], bool] = _never
    """Whether a variable, parameter, key or option of that name speaks of the subject."""

    # -- words -------------------------------------------------------------------------------------
    may_name: Callable[[str], bool] = _never
    """Whether a name may go with the subject, though it need not."""
    labels: Callable[[str], bool] = _never
    """Whether what goes by a keyword of that name is a label."""
    callee: Callable[[str, int], bool] = _no_callee
    """Whether a function of another file takes the subject at a position, by the function's name."""
    callee_first: bool = False
    """Whether such a name decides before the function does that the file defines by it."""
    proves: Callable[[str], bool] = _never
    """Whether a text has a form that nothing but the subject has."""
    beside: Callable[[str], bool] = _always
    """Whether another text may stand beside one in a list or a choice."""
    rivals: tuple[bytes, ...] = ()
    """Of which each rival has one."""
    rival: Callable[[str], bool] = _never
    """Whether a list with that text has the alternatives already."""
    siblings: frozenset[str] = frozenset()
    """Texts that, standing side by side, prove one another to be of the subject."""
    spoilers: frozenset[str] = frozenset()
    """Texts beside which the values of an option are of something else."""
    sample: str = ""
    """Such a text, to ask what a variable would be used as if it held one."""
    counterpart: str = ""
    """What takes its place, where that may have another number of letters."""
    canonical: Callable[[str], str] = str
    """The text that represents all texts of the same form, so that one answer serves them."""
    part_counts: bool = False
    """Whether a part of a longer text is of the subject too, as a word of a command is."""

    # -- sinks -------------------------------------------------------------------------------------
    sinks: Callable[[], Mapping[str, Sink]] = _no_sinks
    """Sinks by qualified name."""
    givers: frozenset[str] = frozenset()
    """Functions whose results are texts of the subject and nothing else."""
    for_each: frozenset[str] = frozenset()
    """Sinks by qualified name that a loop over a list of alternatives may call for one more."""
    called: Mapping[str, Sink] = field(default_factory=dict)
    """Sinks by the last part of a callee's name, or of the name that it was imported by."""
    methods: Mapping[str, Sink] = field(default_factory=dict)
    """Sinks by a method's name, whatever it belongs to."""
    modules: tuple[str, ...] = ()
    """Prefixes of qualified names whose functions take the subject at any position."""
    apart: tuple[str, ...] = ()
    """Parts of qualified names that are an exception to ``modules``."""
    callees_apart: Mapping[str, Role] = field(default_factory=dict)
    """What a text means for callables, and what they give, by a prefix of their qualified names."""
    trusts_libraries: bool = True
    """Whether such a keyword is enough for a library that no table lists."""
    holder: Callable[[Node, Context], bool] = _no_node
    """Whether the keys of an expression are of the subject, as those of ``os.environ`` are."""
    mapped_by: str = ""
    """The keyword whose dictionary maps texts of the subject to one another."""
    mapped_in: frozenset[str] = frozenset()
    """The functions whose second argument is such a dictionary."""
    attributes: frozenset[str] = frozenset()
    """Qualified names whose last part is such a text: ``getattr(torch, 'cuda')``."""
    keeps: frozenset[str] = frozenset()
    """Further functions and methods that give the text they are given, or one that holds it."""

    # -- other evidence ----------------------------------------------------------------------------
    of_torch: bool = True
    """Whether the library of a callable decides: another framework's is :attr:`Role.FOREIGN`."""
    kind: Kind | None = None
    """The kind of a value that is of the subject."""
    makers: frozenset[str] = frozenset()
    """Functions whose result is of that kind by the name that they are called by."""
    parts: frozenset[str] = frozenset()
    """Attributes of such a value that are its text: the ``type`` of a device."""
    handled: Callable[[Node, Context], bool] = _no_node
    """Whether a name, an option or an alternative deals with the counterpart already."""
    test_handled: Callable[[Node, Context], bool] = _no_node
    """Whether the place of a test deals with the counterpart or has none."""
    result_handled: Callable[[Node, Context], bool] = _no_node
    """The same of the place of a call that gives the result of a test."""
    entry_apart: Callable[[str], bool] = _never
    """Whether the entry of a dictionary under a key stays, and one beside it is what the NPU needs."""
    role_of_keys: Callable[[Sequence[str | None]], Role] = _plain_keys
    """What a key of a dictionary is, by all its keys; a key of an undecided table is not certain."""

    # -- what counts -------------------------------------------------------------------------------
    shown_by: frozenset[str] = SAYS
    """Functions that do nothing but show a text."""
    shown_by_prefix: tuple[str, ...] = ()
    """The same by the beginning of their names."""
    named: Role = Role.CONSUMED
    """What a name of the subject alone makes of a text."""
    named_list: Role = Role.CONSUMED
    """What it makes of a list with the text."""
    name_first: bool = False
    """Whether a name of the subject decides before the uses in the file do."""
    test_proves: bool = True
    """Whether a variable that is compared with a value of the subject holds one too."""
    alternative_proves: bool = False
    """Whether ``x or text`` is proof where ``x`` is of the subject."""
    option_values_apart: bool = False
    """Whether the value after an option of a command line is another subject's, whatever the option."""
    otherwise: Mapping[PlaceKind, Role] = field(default_factory=dict)
    """What counts at the places where this subject differs from the others."""

    def apart_of(self, callee: str) -> Apart | None:
        """What a text means for a callable that is an exception, by its qualified name."""
        for prefix, role in self.callees_apart.items():
            if callee.startswith(prefix):
                return Apart(role, prefix.rstrip(".") if role is Role.FOREIGN else "")
        return None

    def may_become(self, text: str) -> bool:
        """Whether a text that was put together is of the subject, or may be."""
        return self.part_counts or (self.may_be_text or self.is_text)(text)

    def otherwise_at(self, place: PlaceKind) -> Role:
        """What a text counts as at a place that proves nothing."""
        return self.otherwise.get(place, _OTHERWISE[place])
