"""What the words of one subject are used as in one file, by all ways that lead on from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..engine.events import StringRef
from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from ..limits.walks import FORWARD_LIMITS
from ..text.syntax import field, text_of
from .deciding import foreign_ends, verdict_of
from .libraries import is_foreign_file
from .names.definitions import Definitions
from .names.files import NoOtherFiles, ProgramFile
from .names.uses import Uses, attributes, is_assigned
from .subject import Subject
from .templates import UNKNOWN_PART, string_template
from .tracing.named import Named
from .tracing.tracer import Tracer
from .tracing.values import End, EndKind, Value
from .verdicts import SHOWN, Role, Verdict


def flow_of(subject: Subject, ctx: Context) -> SubjectFlow:
    """The flow of a subject in one file, the same object each time."""
    return ctx.shared(_maker(subject))


@lru_cache(maxsize=64)
def _maker(subject: Subject) -> Callable[[Context], SubjectFlow]:
    return partial(SubjectFlow, subject)


class _Names:
    """Where names lead in one file, for all subjects."""

    def __init__(self, ctx: Context) -> None:
        files = NoOtherFiles()
        self.file = ProgramFile.examined(ctx)
        self.definitions = Definitions(files)
        self.uses = Uses(files, self.definitions)
        self.files = files

    def forget(self) -> None:
        """Let go of the tree."""
        self.definitions.classes.__dict__.clear()
        for part in (self.definitions, self.uses, self.file):
            vars(part).clear()
        vars(self).clear()


class SubjectFlow:
    """What the texts of one subject are used as in one file. Every answer is kept."""

    def __init__(self, subject: Subject, ctx: Context) -> None:
        self.ctx = ctx
        self.subject = subject
        names = ctx.shared(_Names)
        self._file = names.file
        self._names = names
        self._roles: dict[tuple[int, str], Verdict] = {}
        self._reads: dict[str, dict[tuple[str, int], list[Node]]] = {}
        self.reached_foreign: dict[Verdict, None] = {}
        """Where a text of the subject reaches another framework too, as far as roles were asked for."""

    @cached_property
    def _ways(self) -> _Ways:
        return self._ways_with(self._named)

    @cached_property
    def _shallow(self) -> _Ways:
        """The same where the uses of what words are compared with are no evidence."""
        return self._ways_with(Named(self.subject, self._file))

    @cached_property
    def _named(self) -> Named:
        return Named(self.subject, self._file, self._used_as)

    def _ways_with(self, named: Named) -> _Ways:
        names = self._names
        is_named = lambda file, node: named(node)  # noqa: E731
        return _Ways(Tracer(self.subject, names.files, names.definitions, names.uses, is_named), named)

    def forget(self) -> None:
        """Let go of the parts, each of which refers back to this, and of the nodes that they keep."""
        for name in ("_ways", "_shallow", "_named"):
            if name in vars(self):
                getattr(self, name).forget()
        vars(self).clear()

    @cached_property
    def is_foreign_file(self) -> bool:
        """Whether the file works with another framework than torch, and that decides for the subject."""
        return self.subject.of_torch and is_foreign_file(self.ctx)

    def role_of(self, ref: StringRef) -> Verdict:
        """The role of a string literal; :attr:`Role.SHOWN` for one that is no text of the subject."""
        if ref.is_bytes or not self.subject.is_text(ref.text):
            return SHOWN
        return self.role_of_string(ref.node)

    def role_of_string(self, string: Node) -> Verdict:
        """The role of a string node whose text is of the subject."""
        return self.role_of_value(string, string_template(string))

    def role_of_value(self, expression: Node, text: str | None = None) -> Verdict:
        """The role of an expression that has a value of the subject, whatever it looks like.

        Args:
            text: The value, with ``{}`` for unknown parts; any text of the subject without one.
        """
        text = self.subject.canonical(self.subject.sample if text is None else text)
        key = (expression.id, text)
        if key not in self._roles:
            found = self._ways.ends(Value(self._file, expression, text=text))
            verdict = self._verdict(found.values())
            if verdict.role is Role.CONSUMED:
                self.reached_foreign.update(dict.fromkeys(foreign_ends(found.values())))
            if verdict.role is Role.UNKNOWN and verdict.node is None:
                verdict = verdict._replace(node=parent_of(expression))
            self._roles[key] = SHOWN if verdict.role is Role.NEUTRAL else verdict
        return self._roles[key]

    def becoming(self, part: Node) -> Iterator[tuple[Node, str]]:
        """The expressions that make a text of the subject from another literal, with that text."""
        waiting = [Value(self._file, part, text=string_template(part))]
        seen: set[tuple[object, ...]] = set()
        tracer = self._ways.tracer
        before, tracer.ends = tracer.ends, {}
        while waiting and len(seen) < FORWARD_LIMITS.uses:
            for after in tracer.step(waiting.pop()):
                if after.key in seen or not after.text or after.text.startswith(UNKNOWN_PART):
                    continue  # what something else is put before is no name any more
                seen.add(after.key)
                waiting.append(after)
                if not after.access and after.node.type in _MAKES_TEXT and self.subject.is_text(after.text):
                    yield after.node, after.text
        tracer.ends = before

    def calls_with(self, expression: Node) -> list[Node]:
        """The calls that get a value of the subject by one of its names."""
        found = self._ways.ends(Value(self._file, expression, text=self.subject.sample))
        ends = (end for end in found.values() if end.kind in (EndKind.TAKES, EndKind.NAMED))
        return [end.node for end in ends if end.node is not None]

    def spelled(self, expression: Node, text: str) -> list[tuple[Node, str]]:
        """The expressions that make other texts of one, such as names, with these texts."""
        found = self._ways.ends(Value(self._file, expression, text=self.subject.canonical(text)))
        ends = (end for end in found.values() if end.kind is EndKind.SPELLED)
        return [(end.node, end.text) for end in ends if end.node is not None]

    def role_of_given(self, declaration: Node, text: str) -> Verdict:
        """The role of a value that the option of a call, or the field of an assignment, is given."""
        tracer = self._ways.tracer
        value = Value(self._file, declaration, text=self.subject.canonical(text))
        if declaration.type == "call":
            following = tracer.calls.given_to_option(value, declaration)
        else:
            name = declaration.named_children[0]
            following = tracer.stores.into(value.at(name), name)
        return self._verdict(self._ways.of_steps(value, following).values())

    def _verdict(self, ends: Iterable[End]) -> Verdict:
        return verdict_of(ends, self.subject, is_foreign_file=lambda: self.is_foreign_file)

    def is_named(self, expression: Node) -> bool:
        """Whether an expression is of the subject, or the name of one."""
        return self._named(expression)

    def parameter_of(self, function: Node, argument: int | str) -> Node | None:
        """The name of the parameter by which a callee of this file takes an argument."""
        called = self._names.definitions.of(self._file, function)
        found = self._names.definitions.parameter(called, argument) if called is not None else None
        return found.node if found is not None else None

    def reads_of(self, name: Node) -> list[Node]:
        """The reads of the variable that an identifier binds or reads, or of an attribute of its file."""
        if name.type != "identifier":
            return self._reads_of_attribute(name)[: FORWARD_LIMITS.uses]
        return [use for _, use, _ in self._names.uses.of_variable(self._file, name)]

    def _used_as(self, expression: Node) -> Role:
        """What the variable or the attribute that an expression reads is used as; tests of it say nothing."""
        value = Value(self._file, expression, text=self.subject.sample)
        reads = [value.at(use) for use in self.reads_of(expression)]
        ends: dict[object, End] = {}
        for read in reads:
            ends.update(self._shallow.ends(read))
        return self._verdict(ends.values()).role

    def _reads_of_attribute(self, attribute: Node) -> list[Node]:
        """The reads of an attribute of an object that is written alike, of ``self`` in the same class."""
        name = field(attribute, "attribute")
        found = self._attributes_called(text_of(name)) if name is not None else {}
        return found.get(self._holder_of(attribute), [])

    def _attributes_called(self, name: str) -> dict[tuple[str, int], list[Node]]:
        """The reads of ``<anything>.name`` by what holds the attribute."""
        reads = self._reads.get(name)
        if reads is None:
            reads = self._reads[name] = {}
            for item in attributes(self._file, name):
                if not is_assigned(item):
                    reads.setdefault(self._holder_of(item), []).append(item)
        return reads

    def _holder_of(self, attribute: Node) -> tuple[str, int]:
        """The object of an attribute as it is written, and for ``self`` the class around it."""
        receiver = field(attribute, "object")
        shown = text_of(receiver)
        is_own = shown in ("self", "cls")
        owner = self.ctx.source.enclosing(attribute, "class_definition") if is_own else None
        return shown, owner.id if owner is not None else 0


_MAKES_TEXT = frozenset({"binary_operator", "call", "concatenated_string", "string", "subscript"})


class _State(NamedTuple):
    """A value on its way, with what it reaches so far."""

    value: Value
    next: list[Value]
    ends: dict[object, End]


_MOST_NESTED = 8
"""Containers one inside the other that a value is followed out of."""


class _Ways:
    """The ends that values reach; what several reach by the same way is followed once."""

    def __init__(self, tracer: Tracer, named: Named) -> None:
        self.tracer = tracer
        self.named = named
        self._known: dict[tuple[object, ...], dict[object, End]] = {}

    def forget(self) -> None:
        """Let go of the tree."""
        vars(self.tracer).clear()
        self.named.forget()
        vars(self).clear()

    def ends(self, origin: Value) -> dict[object, End]:
        """One end of each sort that a value reaches, the first in the text.

        Values that lead to each other in a circle reach the same ends (Tarjan's strong components).
        """
        first = origin.key
        if first in self._known:
            return self._known[first]
        numbers: dict[tuple[object, ...], int] = {first: 0}
        lowest: dict[tuple[object, ...], int] = {first: 0}
        states = {first: self._begun(origin)}
        open_keys, way = [first], [first]
        while way:
            key = way[-1]
            state = states[key]
            if state.next:
                after = state.next.pop()
                other = after.key
                if other in self._known:
                    _join(state.ends, self._known[other])
                elif other in numbers:
                    lowest[key] = min(lowest[key], numbers[other])
                else:
                    numbers[other] = lowest[other] = len(numbers)
                    states[other] = self._begun(after)
                    open_keys.append(other)
                    way.append(other)
                continue
            way.pop()
            if lowest[key] == numbers[key]:
                while True:
                    member = open_keys.pop()
                    if member != key:
                        _join(state.ends, states[member].ends)
                    self._known[member] = state.ends
                    if member == key:
                        break
            if way:
                lowest[way[-1]] = min(lowest[way[-1]], lowest[key])
                _join(states[way[-1]].ends, state.ends)
        return self._known[first]

    def of_steps(self, value: Value, steps: Iterable[Value]) -> dict[object, End]:
        """The same for a value whose first steps are known."""
        state = self._begun(value, steps)
        for after in state.next:
            _join(state.ends, self.ends(after))
        return state.ends

    def _begun(self, value: Value, steps: Iterable[Value] | None = None) -> _State:
        """A value with where it goes from its expression."""
        checkpoint()
        tracer = self.tracer
        before, tracer.ends = tracer.ends, {}
        following = []
        for after in tracer.step(value) if steps is None else steps:
            if len(after.access) > _MOST_NESTED:
                continue
            if tracer.goes_on(after):
                if after.text:
                    text = tracer.subject.canonical(after.text)
                    following.append(after._replace(calls=(), text=text))
            else:
                tracer.seen(after, Role.SHOWN)
        found, tracer.ends = tracer.ends, before
        ends: dict[object, End] = {}
        _join(ends, {_sort(end): end for end in sorted(found, key=_place)})
        return _State(value, following[::-1], ends)


def _sort(end: End) -> object:
    """What makes two ends of the same sort."""
    is_apart = end.role in (Role.FOREIGN, Role.NAMED) or end.kind is EndKind.SPELLED
    place = end.start if is_apart else -1
    return end.kind, end.role, end.is_proof, end.is_shared, end.is_choice, bool(end.library), place


def _place(end: End) -> int:
    return -end.start


def _join(ends: dict[object, End], others: dict[object, End]) -> None:
    """Add ends to those of another value."""
    for sort, end in others.items():
        known = ends.get(sort)
        if known is None or end.start < known.start:
            ends[sort] = end
