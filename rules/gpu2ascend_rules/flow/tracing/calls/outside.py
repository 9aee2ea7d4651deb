"""What callables that are not of the project do with a word: sinks, libraries, and what nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....text.names import Certainty
from ....text.syntax import field, last_name, text_of
from ...libraries import Origin, Source, is_made_by_foreign, is_of_other_devices, source_of_value
from ...names.files import ProgramFile
from ...names.parameters import bases_initialized_by
from ...subject import Apart, PlaceKind, Sink
from ...templates import plain_text
from ...verdicts import Role
from ..parts import TracerPart, Tracing
from ..values import ITEM, EndKind, Value
from .declarations import HOLDS_VALUES
from .later import applied, qualified_callee

_NO_SOURCE = Source(Origin.UNKNOWN)


class OutsideCalls(TracerPart):
    """The ends at such callables."""

    def __init__(self, tracer: Tracing) -> None:
        super().__init__(tracer)
        self._names: dict[tuple[str, int], str] = {}

    def _qualified(self, file: ProgramFile, call: Node) -> str:
        """The qualified name of what a call calls; each call is asked for it once."""
        key = (file.path, call.id)
        if key not in self._names:
            self._names[key] = qualified_callee(file, call)
        return self._names[key]

    # -- sinks -----------------------------------------------------------------------------------------

    def _called(self, file: ProgramFile, call: Node) -> Sink | None:
        """The sink that a callee is by the last part of its name, or of the one it was imported by."""
        table, name = self._subject.called, last_name(call)
        if not table or name in table:
            return table.get(name)
        return table.get(self._qualified(file, call).rpartition(".")[2])

    def _take(self, value: Value, call: Node) -> None:
        self._tracer.end(EndKind.TAKES, value, call)

    def _is_taken(self, value: Value, call: Node, argument: int | str) -> bool:
        """Record that a sink takes an argument, if one does."""
        subject, file = self._subject, value.file
        qualified = self._qualified(file, call)
        sink = subject.sinks().get(qualified) or self._called(file, call)
        is_sink = sink is not None and takes(sink, argument)
        if sink is not None and (is_sink or argument == ITEM) and self._is_of_another_rule(sink, value, call):
            self._tracer.seen(value, Role.SHOWN)
            return True
        if is_sink:
            self._take(value, call)
            return True
        if isinstance(argument, str) or not self._is_likely_taken(call, qualified, argument):
            return False
        self._take(value, call)
        return True

    def _is_likely_taken(self, call: Node, qualified: str, argument: int) -> bool:
        """Whether the module or the name of a function tells what it takes by position."""
        subject = self._subject
        is_of_module = bool(subject.modules) and qualified.startswith(subject.modules)
        if is_of_module and not any(part in qualified for part in subject.apart):
            return True
        return subject.callee_first and subject.callee(last_name(call), _index(argument))

    def _is_taken_by_method(self, value: Value, call: Node, function: Node, argument: int | str) -> bool:
        """Record that a method takes an argument whatever it belongs to, or its library refuses it."""
        receiver = field(function, "object")
        method = self._subject.methods.get(last_name(call)) if receiver is not None else None
        if method is None or receiver is None or value.is_entry or not method.takes(_index(argument)):
            return False
        if self._subject.of_torch and is_made_by_foreign(receiver, value.file.ctx):
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

    def _apart_of(self, file: ProgramFile, call: Node) -> Apart | None:
        has_any = bool(self._subject.callees_apart)
        return self._subject.apart_of(self._qualified(file, call)) if has_any else None

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
        source = source_of_value(function, value.file.ctx) if subject.of_torch else _NO_SOURCE
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
        apart = self._apart_of(value.file, call)
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
        bases = bases_initialized_by(call)
        return any(self._origin(file, base) is Origin.PROJECT for base in bases)

    def _library(self, file: ProgramFile, function: Node) -> str:
        """The name of the library that a callable is of."""
        known = source_of_value(function, file.ctx).library
        return known or file.source.names.name_of(function) or text_of(function)

    def _is_builtin(self, file: ProgramFile, function: Node) -> bool:
        """Whether a callable does nothing with the words of what it is given: ``len``, ``print``."""
        return function.type == "identifier" and not file.source.names.bindings(text_of(function))

    def _sink_behind(self, file: ProgramFile, call: Node, function: Node) -> Sink | None:
        """The sink that a function is which is not called here."""
        if function.type == "string" and last_name(call) == "methodcaller":  # ``methodcaller('to', 'cuda')``
            return self._subject.methods.get(plain_text(function) or "")
        sink = self._subject.sinks().get(file.source.names.name_of(function))
        name, receiver = field(function, "attribute"), field(function, "object")
        if sink is not None or name is None or receiver is None:
            return sink
        is_foreign = self._subject.of_torch and is_of_other_devices(receiver, file.ctx)
        return None if is_foreign else self._subject.methods.get(text_of(name))


def takes(sink: Sink, argument: int | str) -> bool:
    return argument in sink.parameters if isinstance(argument, str) else sink.takes(argument)


def _index(argument: int | str) -> int:
    """The position of an argument; -1 for one whose position is not known."""
    return argument if isinstance(argument, int) else -1
