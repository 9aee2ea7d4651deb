"""What a call does with a word that it is given, or that it is a method of."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...flow.climb.calls.later import applied, callee_of, taker_of
from ...flow.climb.verdicts import Role
from ...flow.libraries import Origin, source_of_value
from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...limits.walks import PROGRAM_LIMITS
from ...text.syntax import arguments_of, call_of, field, is_field, last_name, same, text_of
from ..files import ProgramFile
from ..names.constructors import makes_dictionaries
from ..names.definition import CLASS, Definition
from ..values import ITEM, CallSite, EndKind, Value
from .known_calls import SEARCHES, KnownCalls
from .parts import Tracing

_OF_TEXT = frozenset(
    {
        "lower", "upper", "strip", "lstrip", "rstrip", "casefold", "split", "rsplit", "partition", "replace",
        "removeprefix", "removesuffix", "title", "encode", "decode",
    }
)  # fmt: skip


class Calls:
    """The steps through calls."""

    def __init__(self, tracer: Tracing) -> None:
        self._tracer = tracer
        self._known = KnownCalls(tracer)

    # -- arguments -----------------------------------------------------------------------------------

    def keyword(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from ``name=value`` into the call."""
        name, call = field(parent, "name"), parent_of(parent_of(parent))
        if name is not None and call is not None and call.type == "call" and is_field(value.node, "value"):
            yield from self._given(value, call, text_of(name))

    def positional(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from a positional argument into the call."""
        call = parent_of(parent)
        if call is None or call.type != "call":
            return
        for item in arguments_of(call).items:
            if same(item.node, value.node):
                yield from self._given(value, call, item.position if item.position is not None else ITEM)

    def given_to_option(self, value: Value, declaration: Node) -> Iterator[Value]:
        """The reads of the option that a call declares."""
        return self._known.options.declared(value, declaration, "default")

    def unpacked(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from ``*values``: the items are the arguments."""
        call = parent_of(parent_of(parent))
        if call is None or call.type != "call" or not value.access:
            return
        first, rest = value.access[0], value._replace(access=value.access[1:], node=parent)
        before = _arguments_before(parent)
        if first[1:-1].isdigit() and before is not None:
            yield from self._given(rest, call, int(first[1:-1]) + before)
        else:
            self._tracer.end(EndKind.UNKNOWN, value, call)

    def unpacked_by_name(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from ``**values``: an entry is the argument of its name, or again one of a dictionary."""
        holder = parent_of(parent)
        if holder is None or not value.access:
            return
        if holder.type == "dictionary":
            yield value.at(holder)
            return
        call = parent_of(holder)
        if call is not None and call.type == "call" and not value.access[0].startswith("["):
            yield from self._given(
                value._replace(access=value.access[1:], node=parent), call, value.access[0]
            )

    def _given(self, value: Value, call: Node, argument: int | str) -> Iterator[Value]:
        known = self._known.steps(value, call, argument)
        if known is not None:
            yield from known
            return
        function = callee_of(call)
        if function is None:
            return
        later = taker_of(call, value.access, argument)
        if later is not None:
            target, position = later
            moved = value._replace(access=value.access[1:]) if value.access else value
            found = self._tracer.definitions.of(value.file, target)
            if found is not None:
                yield from self._entered(moved, found, position, None)
            else:
                self._tracer.end(EndKind.UNKNOWN, value, call)
            return
        found = self._tracer.definitions.of(value.file, function)
        if found is not None:
            yield from self._entered(value, found, argument, call)
            return
        yield from self._foreign(value, call, function, argument)

    # -- functions and classes of the project ----------------------------------------------------------

    def _entered(
        self, value: Value, called: Definition, argument: int | str, call: Node | None
    ) -> Iterator[Value]:
        """The reads of the parameter that takes an argument."""
        if called.kind == CLASS and makes_dictionaries(called.node) and isinstance(argument, str) and call:
            yield value.within(argument, call)
            return
        found = self._tracer.definitions.parameter(called, argument)
        if found is None:
            yield from self._collected(value, called, argument, call)
            return
        entered = self._entering(value, called, call).at(found.node, found.file)
        self._tracer.tests.annotated(entered, found.node)
        yield from self._tracer.reads(entered, found.node)

    def _entering(self, value: Value, called: Definition, call: Node | None) -> Value:
        """The value inside of a function, with the call from which it came."""
        if call is None:
            return value
        site = CallSite(value.file, call, called.key)
        for place, item in enumerate(value.calls):
            if item.entered == called.key:  # a function that calls itself
                return value._replace(calls=value.calls[: place + 1])
        return value._replace(calls=(*value.calls, site)[-PROGRAM_LIMITS.calls :])

    def _collected(
        self, value: Value, called: Definition, argument: int | str, call: Node | None
    ) -> Iterator[Value]:
        """The reads of ``*rest`` or ``**rest`` of a function that has no parameter for an argument."""
        found = self._tracer.definitions.collected(called, argument) if argument != ITEM else None
        if found is None:
            self._tracer.end(EndKind.UNKNOWN, value, value.node)
            return
        holder, key = found
        held = self._entering(value, called, call).within(key, holder.node)._replace(file=holder.file)
        yield from self._tracer.reads(held, holder.node)

    # -- everything else -------------------------------------------------------------------------------

    def _foreign(self, value: Value, call: Node, function: Node, argument: int | str) -> Iterator[Value]:
        """What a callable that is not of the project does with a word."""
        if value.access or not value.is_text:
            kind = EndKind.UNKNOWN if value.access else None
            if kind is not None and not self._is_builtin(value.file, function):
                self._tracer.end(kind, value, call)
            return
        kind = self._use(value.file, call, function, argument)
        if kind is EndKind.REFUSES:
            self._tracer.end(kind, value, call, library=self._library(value.file, function))
        elif kind is not None:
            self._tracer.end(kind, value, call)
        if kind is EndKind.TAKES and last_name(call) in self._tracer.subject.makers:
            yield value.at(call)._replace(is_text=False)

    def _library(self, file: ProgramFile, function: Node) -> str:
        """The name of the library that a callable is of."""
        resolution = file.source.names.qualified_name(function)
        known = source_of_value(function, file.ctx).library
        return known or (resolution.qualified_name if resolution is not None else text_of(function))

    def _use(self, file: ProgramFile, call: Node, function: Node, argument: int | str) -> EndKind | None:
        subject, name = self._tracer.subject, last_name(call)
        resolution = file.source.names.qualified_name(applied(call))
        qualified = resolution.qualified_name if resolution is not None else ""
        apart = subject.apart_of(qualified)
        if apart is not None:
            return _OF_ROLES.get(apart.role)
        sink = subject.sinks().get(qualified) or subject.called.get(name)
        by_name = isinstance(argument, str) and argument != ITEM
        if sink is not None:
            takes = argument in sink.parameters if by_name else sink.takes(_index(argument))
            is_too_old = sink.since is not None and file.ctx.version < sink.since
            if takes:
                return None if is_too_old else EndKind.TAKES
        origin = source_of_value(function, file.ctx).origin if subject.of_torch else Origin.UNKNOWN
        receiver = field(function, "object")
        method = subject.methods.get(name) if receiver is not None else None
        is_named = by_name and subject.names(str(argument))
        if method is not None and (is_named or (not by_name and method.takes(_index(argument)))):
            return EndKind.REFUSES if origin in (Origin.FOREIGN, Origin.PLAIN) else EndKind.TAKES
        is_of_module = qualified.startswith(subject.modules) if subject.modules else False
        if is_of_module and not any(part in qualified for part in subject.apart):
            return EndKind.TAKES
        return self._by_name(origin, is_named=is_named, name=name, argument=argument)

    def _by_name(self, origin: Origin, *, is_named: bool, name: str, argument: int | str) -> EndKind | None:
        if origin is Origin.PLAIN:
            return None
        if origin is Origin.FOREIGN:
            return EndKind.REFUSES
        subject = self._tracer.subject
        if origin is Origin.TORCH:
            return EndKind.TAKES if is_named else EndKind.UNKNOWN
        if is_named or (isinstance(argument, int) and subject.callee(name, argument)):
            return (
                EndKind.NAMED if origin is not Origin.LIBRARY or subject.trusts_libraries else EndKind.UNKNOWN
            )
        return EndKind.UNKNOWN

    def _is_builtin(self, file: ProgramFile, function: Node) -> bool:
        """Whether a callable does nothing with the words of what it is given: ``len``, ``print``."""
        return function.type == "identifier" and not file.source.names.bindings(text_of(function))

    # -- methods ---------------------------------------------------------------------------------------

    def method(self, value: Value, attribute: Node, name: str) -> Iterator[Value]:
        """The step from an object to what one of its methods gives."""
        call = call_of(attribute)
        if call is None:
            if name == "__dict__":
                yield value.at(attribute)
            return
        if value.access:
            yield from self._method_of_holder(value, call, name)
            return
        if name in SEARCHES and value.is_text:
            self._tracer.tests.searched(value, call)
        if name in _OF_TEXT or name in self._tracer.subject.keeps or (name == "format" and value.is_text):
            yield value.at(call)

    def _method_of_holder(self, value: Value, call: Node, name: str) -> Iterator[Value]:
        key = arguments_of(call).at(0)
        if name in ("get", "pop", "setdefault", "__getitem__", "getattr"):
            text = plain_text(key.value) if key is not None else None
            taken = value.taken(text, call) if text is not None else None
            if taken is not None:
                yield taken
            elif text is None and key is not None:
                yield value._replace(access=value.access[1:], node=call, is_certain=False)
        elif name == "values":
            yield value._replace(access=(ITEM, *value.access[1:]), node=call)
        elif name in ("copy", "union", "items"):
            yield value.at(call)


_OF_ROLES = {Role.FOREIGN: EndKind.REFUSES, Role.UNKNOWN: EndKind.UNKNOWN, Role.CONSUMED: EndKind.TAKES}


def _index(argument: int | str) -> int:
    """The position of an argument; -1 for one whose position is not known."""
    return argument if isinstance(argument, int) else -1


def _arguments_before(splat: Node) -> int | None:
    """How many arguments stand before one that is unpacked; None where that is not known."""
    count, before = 0, splat.prev_named_sibling
    while before is not None:
        if before.type == "list_splat":
            return None
        count += before.type not in ("comment", "keyword_argument", "dictionary_splat")
        before = before.prev_named_sibling
    return count
