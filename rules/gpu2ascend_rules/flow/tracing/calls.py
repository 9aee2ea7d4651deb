"""What a call does with a word that it is given, or that it is a method of."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.parents import parent_of
from ...limits.walks import CLIMB_LIMITS, PROGRAM_LIMITS
from ...text.names import Certainty
from ...text.syntax import arguments_of, call_of, field, is_field, last_name, same, text_of
from ..files import ProgramFile
from ..libraries import Origin, Source, is_of_other_devices, source_of_value
from ..names.constructors import makes_dictionaries
from ..names.definition import CLASS, Definition
from ..option_calls import HOLDS_VALUES
from ..parameters import bases_initialized_by
from ..subject import Apart, PlaceKind, Sink
from ..templates import UNKNOWN_PART, plain_text
from ..values import ITEM, CallSite, EndKind, Value
from ..verdicts import Role
from .known_calls import SEARCHES, KnownCalls
from .later import applied, callee_of, taker_of
from .parts import Tracing

OF_TEXT = frozenset(
    {
        "lower", "upper", "strip", "lstrip", "rstrip", "casefold", "split", "rsplit", "partition", "replace",
        "removeprefix", "removesuffix", "title", "encode", "decode", "expandtabs",
    }
)  # fmt: skip
NO_SOURCE = Source(Origin.UNKNOWN)


class Calls:
    """The steps through calls."""

    def __init__(self, tracer: Tracing) -> None:
        self._tracer = tracer
        self._subject = tracer.subject
        self._known = KnownCalls(tracer)

    # -- arguments -----------------------------------------------------------------------------------

    def keyword(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from ``name=value`` into the call."""
        name, call = field(parent, "name"), parent_of(parent_of(parent))
        if name is None or call is None or call.type != "call":
            self._tracer.at(value, PlaceKind.KEYWORD)  # of a class statement
        elif is_field(value.node, "value"):
            yield from self._given(value, call, text_of(name))

    def positional(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from a positional argument into the call."""
        call = parent_of(parent)
        if call is None or call.type != "call":
            self._tracer.at(value, PlaceKind.ELSEWHERE)
            return
        if parent.named_child_count > CLIMB_LIMITS.items:
            self._tracer.at(value, PlaceKind.ARGUMENT)
            return
        for item in arguments_of(call).items:
            if same(item.node, value.node):
                yield from self._given(value, call, item.position if item.position is not None else ITEM)

    def given_to_option(self, value: Value, declaration: Node) -> Iterator[Value]:
        """The reads of the option that a call declares."""
        return self._known.options.declared(value, declaration, "default")

    def unpacked(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from ``*values``: the items are the arguments."""
        if self._subject.part_counts:
            yield value.at(parent)
            return
        call = parent_of(parent_of(parent))
        if call is None or call.type != "call" or not value.access:
            return
        first, rest = value.access[0], value._replace(access=value.access[1:], node=parent, display=None)
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
        function = callee_of(call)
        if function is None:
            self._tracer.at(value, PlaceKind.ARGUMENT)
            return
        by_name = isinstance(argument, str) and argument != ITEM
        apart = None if by_name else self._subject.apart_of(self.qualified(value.file, call))
        if apart is not None:
            self._apart(value, apart, call)
            return
        later = taker_of(call, value.access, argument)
        steps = self._later(value, call, *later) if later is not None else None
        if steps is not None:
            yield from steps
            return
        sink = None if by_name else self._called(value.file, call)
        is_taken = sink is not None and isinstance(argument, int) and sink.takes(argument)
        if is_taken and not value.is_entry:
            self._take(value, call)
            return
        if not by_name and self._is_taken_by_method(value, call, function, argument):
            return
        known = self._known.steps(value, call, argument)
        if known is not None:
            yield from known
            return
        if not value.is_entry and self._is_taken(value, call, argument):
            if last_name(call) in self._subject.makers:
                yield value.at(call)._replace(text="")
            return
        found = self._tracer.definitions.of(value.file, function)
        if found is not None:
            yield from self._entered(value, found, argument, call)
            return
        yield from self._foreign(value, call, function, argument)

    def _later(
        self, value: Value, call: Node, function: Node, argument: int | str, is_item: bool
    ) -> Iterator[Value] | None:
        """What a function does that is called later with an argument of a call; None where nothing shows it."""
        if is_item and (self._tracer.is_mixed(value) or self._tracer.is_crowded(value)):
            return None
        moved = value._replace(access=value.access[1:], display=None)
        moved = moved if value.access else value
        found = self._tracer.definitions.of(value.file, function)
        if found is not None:
            return self._entered(moved, found, argument, None)
        sink = self._sink_behind(value.file, call, function)
        takes = sink is not None and _takes(sink, argument)
        origin = self._origin(value.file, function)
        is_named = isinstance(argument, str) and self._subject.names(argument)
        if not takes and not (origin is Origin.TORCH and is_named):
            return None
        self._tracer.end(EndKind.TAKES, moved, call)
        return iter(())

    def _sink_behind(self, file: ProgramFile, call: Node, function: Node) -> Sink | None:
        """The sink that a function is which is not called here."""
        if function.type == "string" and last_name(call) == "methodcaller":  # ``methodcaller('to', 'cuda')``
            return self._subject.methods.get(plain_text(function) or "")
        resolution = file.source.names.qualified_name(function)
        sink = self._subject.sinks().get(resolution.qualified_name) if resolution is not None else None
        name, receiver = field(function, "attribute"), field(function, "object")
        if sink is not None or name is None or receiver is None:
            return sink
        is_foreign = self._subject.of_torch and is_of_other_devices(receiver, file.ctx)
        return None if is_foreign else self._subject.methods.get(text_of(name))

    # -- functions and classes of the project ----------------------------------------------------------

    def _entered(
        self, value: Value, called: Definition, argument: int | str, call: Node | None
    ) -> Iterator[Value]:
        """The reads of the parameter that takes an argument."""
        if called.kind == CLASS and makes_dictionaries(called.node) and isinstance(argument, str) and call:
            yield self._tracer.stores.entry(value, argument, call)._replace(node=call)
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
        if found is None or value.access:
            if call is not None:
                yield from self._foreign(value, call, callee_of(call) or call, argument)
            if found is None:
                self._tracer.end(EndKind.UNKNOWN, value, value.node)
                return
        holder, key = found
        if call is not None and not value.access:
            yield from self._foreign(value, call, callee_of(call) or call, argument)
        held = self._entering(value, called, call).within(key, holder.node)._replace(file=holder.file)
        yield from self._tracer.reads(held, holder.node)

    # -- sinks -----------------------------------------------------------------------------------------

    def qualified(self, file: ProgramFile, call: Node) -> str:
        """The qualified name of what a call calls, or applies its arguments to."""
        if call.type != "call":
            return ""
        resolution = file.source.names.qualified_name(applied(call))
        return resolution.qualified_name if resolution is not None else ""

    def _called(self, file: ProgramFile, call: Node) -> Sink | None:
        """The sink that a callee is by the last part of its name, or of the one it was imported by."""
        table, name = self._subject.called, last_name(call)
        if not table or name in table:
            return table.get(name)
        return table.get(self.qualified(file, call).rpartition(".")[2])

    def _take(self, value: Value, call: Node) -> None:
        self._tracer.end(EndKind.TAKES, value, call)

    def _is_taken(self, value: Value, call: Node, argument: int | str) -> bool:
        """Record that a sink takes an argument, if one does."""
        subject, file = self._subject, value.file
        by_name = isinstance(argument, str) and argument != ITEM
        qualified = self.qualified(file, call)
        sink = subject.sinks().get(qualified) or self._called(file, call)
        if (
            sink is not None
            and self._is_of_another_rule(sink, value, call)
            and (argument == ITEM or _takes(sink, argument))
        ):
            self._tracer.seen(value, Role.SHOWN)
            return True
        if sink is not None and _takes(sink, argument):
            self._take(value, call)
            return True
        if argument == ITEM:
            return False
        is_of_module = bool(subject.modules) and qualified.startswith(subject.modules)
        if is_of_module and not by_name and not any(part in qualified for part in subject.apart):
            self._take(value, call)
            return True
        if subject.callee_first and not by_name and subject.callee(last_name(call), _index(argument)):
            self._take(value, call)
            return True
        return False

    def _is_taken_by_method(self, value: Value, call: Node, function: Node, argument: int | str) -> bool:
        """Record that a method takes an argument whatever it belongs to, or its library refuses it."""
        receiver = field(function, "object")
        method = self._subject.methods.get(last_name(call)) if receiver is not None else None
        if method is None or receiver is None or value.is_entry or not method.takes(_index(argument)):
            return False
        if self._subject.of_torch and is_of_other_devices(receiver, value.file.ctx):
            library = source_of_value(receiver, value.file.ctx).library
            self._tracer.end(EndKind.REFUSES, value, call, library=library)
        else:
            self._take(value, call)
        return True

    def _is_of_another_rule(self, sink: Sink, value: Value, call: Node) -> bool:
        """Whether a text is given directly to a sink in a version that has no NPU there, but for a name that
        an older place may bring, too: what is given to this one is for newer versions."""
        too_old = sink.since is not None and value.file.ctx.version < sink.since
        resolution = value.file.source.names.qualified_name(applied(call)) if too_old else None
        is_only = resolution is not None and resolution.certainty is not Certainty.AMBIGUOUS
        return is_only and value.node.type == "string"

    def _apart(self, value: Value, apart: Apart, call: Node) -> None:
        if apart.role is Role.FOREIGN:
            self._tracer.end(EndKind.REFUSES, value, call, library=apart.library)
        elif apart.role is Role.UNKNOWN:
            self._tracer.end(EndKind.UNKNOWN, value, call)
        else:
            self._tracer.seen(value, apart.role, call)

    # -- everything else -------------------------------------------------------------------------------

    def _origin(self, file: ProgramFile, function: Node) -> Origin:
        """The origin of a callable, where it decides for the subject."""
        return source_of_value(function, file.ctx).origin if self._subject.of_torch else Origin.UNKNOWN

    def _foreign(self, value: Value, call: Node, function: Node, argument: int | str) -> Iterator[Value]:
        """What a callable that is not of the project does with a word."""
        subject = self._subject
        source = source_of_value(function, value.file.ctx) if subject.of_torch else NO_SOURCE
        by_name = isinstance(argument, str) and argument != ITEM
        is_named = by_name and subject.names(str(argument))
        if value.is_entry and not is_named:
            self._of_entry(value, call, function, source)
            return
        if not value.text:
            return
        if by_name:
            self._by_keyword(value, call, function, source, str(argument))
        else:
            self._by_position(value, call, function, source, argument)
        if last_name(call) in subject.makers and source.origin is Origin.TORCH:
            yield value.at(call)._replace(text="")

    def _of_entry(self, value: Value, call: Node, function: Node, source: Source) -> None:
        """A dictionary is given to a callable: what that has by the key of the word is of its library."""
        is_named = self._subject.of_torch and self._subject.names(value.access[0])
        if source.origin is Origin.FOREIGN and is_named and last_name(call) not in HOLDS_VALUES:
            self._tracer.end(EndKind.REFUSES, value, call, library=source.library)
        elif source.origin is Origin.TORCH and is_named:
            self._take(value, call)
        elif not self._is_builtin(value.file, function):
            self._tracer.open_end(value, call)

    def _by_position(
        self, value: Value, call: Node, function: Node, source: Source, argument: int | str
    ) -> None:
        subject = self._subject
        if self._of_library(value, call, function, source):
            return
        if isinstance(argument, int) and subject.callee(last_name(call), argument):
            self._name(value, call)  # ``get_device('cuda')`` of another file
        else:
            self._unseen(value, call, PlaceKind.ARGUMENT)

    def _of_library(self, value: Value, call: Node, function: Node, source: Source) -> bool:
        """Record what the library of a callee shows, whatever the argument."""
        if source.origin is Origin.FOREIGN:
            self._tracer.end(EndKind.REFUSES, value, call, library=self._library(value.file, function))
        elif source.origin is Origin.PLAIN or self._tracer.is_mixed(value):
            self._tracer.seen(value, Role.SHOWN)
        elif source.origin is Origin.LIBRARY and not self._subject.trusts_libraries:
            self._unseen(value, call, PlaceKind.ARGUMENT, call, source.library)
        else:
            return False
        return True

    def _by_keyword(self, value: Value, call: Node, function: Node, source: Source, name: str) -> None:
        subject = self._subject
        is_named = subject.names(name)
        apart = subject.apart_of(self.qualified(value.file, call))
        if source.origin is Origin.PLAIN:
            self._tracer.seen(value, Role.SHOWN)
        elif apart is not None and (is_named or apart.role is Role.SHOWN):
            self._apart(value, apart, call)
        elif source.origin is Origin.FOREIGN:
            if is_named:
                self._tracer.end(EndKind.REFUSES, value, call, library=self._library(value.file, function))
            else:
                self._tracer.seen(value, Role.SHOWN)
        elif is_named and source.origin is Origin.LIBRARY and not subject.trusts_libraries:
            self._unseen(value, call, PlaceKind.ARGUMENT, call, source.library)
        elif is_named:
            self._name(value, call, is_of_torch=source.origin is Origin.TORCH)
        elif (
            subject.labels(name) and not self._initializes_base_of_project(value.file, call)
        ) or self._tracer.is_mixed(value):
            self._tracer.seen(value, Role.SHOWN)
        else:
            self._unseen(value, call, PlaceKind.KEYWORD)

    def _name(self, value: Value, call: Node, *, is_of_torch: bool = False) -> None:
        """Record that a word is given by a name of the subject."""
        if value.is_boxed and self._subject.named_list is not self._subject.named:
            self._tracer.seen(value, self._subject.named_list, value.node, proof=False)
        else:
            self._tracer.end(EndKind.TAKES if is_of_torch else EndKind.NAMED, value, call)

    def _unseen(
        self, value: Value, call: Node, place: PlaceKind, node: Node | None = None, library: str = ""
    ) -> None:
        """Record that a word is given to what cannot be seen."""
        self._tracer.at(value, place, node, library)
        self._tracer.open_end(value, call)

    def _initializes_base_of_project(self, file: ProgramFile, call: Node) -> bool:
        """Whether ``super().__init__(name='cuda')`` tells a class of another file what it is for."""
        bases = bases_initialized_by(call, file.ctx)
        return any(self._origin(file, base) is Origin.PROJECT for base in bases)

    def _library(self, file: ProgramFile, function: Node) -> str:
        """The name of the library that a callable is of."""
        resolution = file.source.names.qualified_name(function)
        known = source_of_value(function, file.ctx).library
        return known or (resolution.qualified_name if resolution is not None else text_of(function))

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
        if name in SEARCHES and value.text:
            self._tracer.tests.searched(value, call)
        if (name in OF_TEXT or name == "format") and value.text:
            yield from self._of_text(value, call)
        elif name in self._subject.keeps:
            yield value.at(call)

    def _of_text(self, value: Value, call: Node) -> Iterator[Value]:
        """What a method of texts gives: the text where it is plain, else likely a part of the word."""
        for made in self._tracer.made(value, call):
            is_known = not made.text.startswith(UNKNOWN_PART)
            if is_known or value.is_kept:
                yield made if is_known else value.at(call)

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


def _takes(sink: Sink, argument: int | str) -> bool:
    return argument in sink.parameters if isinstance(argument, str) else sink.takes(argument)


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
