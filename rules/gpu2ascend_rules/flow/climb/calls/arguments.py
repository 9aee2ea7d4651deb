"""What a call does with a text that it is given: the sinks of its subject, and everything that is none."""

from __future__ import annotations

from tree_sitter import Node

from ....text.names import Certainty
from ....text.syntax import arguments_of, enclosing, field, last_name, text_of
from ... import templates
from ...libraries import Origin, Source, is_of_other_devices, source_of_value
from ...parameters import bases_initialized_by, parameter_for
from ..options import FLAGS, OPTIONS
from ..parts import Flow, Step, Value
from ..subject import PlaceKind, Sink
from ..verdicts import NEUTRAL, SHOWN, SILENT, UNKNOWN, Role, Verdict
from .later import applied, called_later, called_with_entries, callee_of

_KEEPS_TEXT = frozenset({"str", "repr"})
_KEEPS_LIST = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "cycle"})
_DRAWS_TOGETHER = frozenset({"zip", "zip_longest", "product"})
"""Calls that give tuples of one element of each argument."""
_GIVES_ITEM = frozenset({"get", "pop", "setdefault", "getenv", "getattr"})
_SEARCHES = frozenset(
    {
        "startswith", "endswith", "replace", "split", "rsplit", "partition", "rpartition", "removeprefix",
        "removesuffix", "strip", "lstrip", "rstrip", "find", "rfind", "index", "rindex", "count", "__eq__",
    }
)  # fmt: skip
_ITEM_METHODS = frozenset({"__contains__", "__getitem__", "__setitem__", "__delitem__"})
_ANY_SOURCE = Source(Origin.UNKNOWN)
_PUTS_INTO_LIST = frozenset({"append", "add", "insert", "appendleft", "extend"})
_HOLDS_DEFAULT = frozenset({"Option", "Argument", "Field", "field", "ib", "attrib", "PrivateAttr"})


class Calls:
    """The role of a call's argument."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._subject = flow.subject

    # -- by name -----------------------------------------------------------------------------------

    def keyword(self, value: Value, call: Node, name: str) -> Step:
        """The role of ``name=value``."""
        callee = last_name(call)
        function = field(call, "function")
        if callee == "format" and function is not None:
            return self._formatted(value, call, field(function, "object") or function, name)
        later = self._later(value, call, name)
        if later is not None:
            return later
        if callee in OPTIONS:
            return self._flow.options.setting(value, call, name)
        if callee == "set_defaults":
            return self._flow.options.preset(value, name)
        if callee in _HOLDS_DEFAULT and name in ("default", "default_factory", "factory"):
            return value.moved(call)
        if callee in ("dict", "update"):
            return self._flow.dictionaries.keyword_entry(value, call, name)
        held = self._flow.options.held(value, call, name)
        if held is not None:
            return held
        if name == "choices":
            return self._flow.options.choice(value, call)
        sink = self._sink(call)
        if sink is not None and name in sink.parameters:
            return self._into(sink, value, call)
        if self._subject.name_first and self._subject.names(name):
            return self._by_keyword(value, call, name)
        parameter = parameter_for(applied(call), name, self._flow.ctx)
        if parameter is not None:
            return self._flow.variables.parameter(value, parameter)
        return self._by_keyword(value, call, name)

    def _by_keyword(self, value: Value, call: Node, name: str) -> Verdict:
        source = self._source_of(applied(call))
        if source.origin is Origin.PLAIN:
            return SHOWN
        named = self._subject.names(name)
        apart = self._subject.apart_of(self.qualified(call) or "")
        if apart is not None and (named or apart.role is Role.SHOWN):
            return apart._replace(node=call)
        if source.origin is Origin.FOREIGN:
            return Verdict(Role.FOREIGN, call, library=source.library) if named else SHOWN
        if named:
            return self._by_named_keyword(value, call, source)
        is_label = self._subject.labels(name) and not self._initializes_base_of_project(call)
        if is_label or value.is_mixed(self._subject):
            return SHOWN
        return self._subject.at(PlaceKind.KEYWORD)

    def _initializes_base_of_project(self, call: Node) -> bool:
        """Whether ``super().__init__(name='cuda')`` tells a class of another file what it is for."""
        bases = bases_initialized_by(call, self._flow.ctx)
        return any(self._source_of(base).origin is Origin.PROJECT for base in bases)

    def _by_named_keyword(self, value: Value, call: Node, source: Source) -> Verdict:
        if source.origin is Origin.LIBRARY and not self._subject.trusts_libraries:
            return UNKNOWN._replace(node=call, library=source.library)
        return self._flow.variables.by_name(value, call)

    def _source_of(self, expression: Node) -> Source:
        """The origin of what made an object, where it decides for the subject."""
        return source_of_value(expression, self._flow.ctx) if self._subject.of_torch else _ANY_SOURCE

    # -- by position -------------------------------------------------------------------------------

    def positional(self, value: Value, call: Node, position: int) -> Step:
        """The role of the argument at a position."""
        function = callee_of(call)
        if function is None:
            return self._subject.at(PlaceKind.ARGUMENT)
        name = last_name(call)
        apart = self._subject.apart_of(self.qualified(call) or "")
        if apart is not None:
            return apart._replace(node=call)
        later = self._later(value, call, position)
        if later is not None:
            return later
        step = self._by_callee(value, call, function, name, position)
        if step is not None:
            return step
        qualified = self.qualified(call)
        sink = self._sink(call)
        if sink is not None and sink.takes(position):
            return self._into(sink, value, call)
        if self._is_of_module(qualified):
            return Verdict(Role.CONSUMED, call)
        takes = self._subject.callee(name, position)
        if takes and self._subject.callee_first:
            return Verdict(Role.CONSUMED, call)
        parameter = parameter_for(function, position, self._flow.ctx)
        if parameter is not None:
            return self._flow.variables.parameter(value, parameter)
        of_library = self._of_library(value, call, function)
        if of_library is not None:
            return of_library
        if takes:
            return Verdict(Role.CONSUMED, call)  # ``get_device('cuda')`` of another file
        return self._subject.at(PlaceKind.ARGUMENT)

    def unplaced(self, value: Value, call: Node) -> Step:
        """The role of an argument behind ``*given``, whose position is not known: what the callee makes of
        every argument alike."""
        function = callee_of(call)
        if function is None:
            return self._subject.at(PlaceKind.ARGUMENT)
        apart = self._subject.apart_of(self.qualified(call) or "")
        if apart is not None:
            return apart._replace(node=call)
        sink = self._sink(call)
        is_too_old = sink is not None and self._is_of_another_rule(sink, value, call)
        step = self._shown(value, last_name(call)) or self._of_library(value, call, function)
        return step or (SHOWN if is_too_old else self._subject.at(PlaceKind.ARGUMENT))

    def _of_library(self, value: Value, call: Node, function: Node) -> Verdict | None:
        """What the library of a callee shows, whatever the position."""
        source = self._source_of(function)
        if source.origin is Origin.FOREIGN:
            return Verdict(Role.FOREIGN, call, library=source.library)
        if source.origin is Origin.PLAIN or value.is_mixed(self._subject):
            return SHOWN
        if source.origin is Origin.LIBRARY and not self._subject.trusts_libraries:
            return self._subject.at(PlaceKind.ARGUMENT)._replace(node=call, library=source.library)
        return None

    def _later(self, value: Value, call: Node, argument: int | str) -> Verdict | None:
        """The role of what a function gets that another one calls; ``None`` where that shows nothing."""
        if last_name(call) == "methodcaller" and isinstance(argument, int):
            return self._method_later(call, argument)
        later = called_later(value, call, argument)
        is_choice = value.is_mixed(self._subject) or value.is_crowded(self._subject)
        if later is None or (later.is_any and is_choice):
            return None
        parameter = parameter_for(later.function, later.position, self._flow.ctx)
        if parameter is not None:
            return self._flow.variables.parameter(value.unboxed(parameter), parameter)
        sink = self._sink_behind(later.function)
        return Verdict(Role.CONSUMED, call) if sink is not None and sink.takes(later.position) else None

    def entry_later(self, value: Value, call: Node, dictionary: Node, key: str) -> Verdict | None:
        """The role of an entry of ``Thread(target=f, kwargs={key: value})``; ``None`` for other calls."""
        function = called_with_entries(call, dictionary)
        if function is None:
            return None
        parameter = parameter_for(function, key, self._flow.ctx)
        if parameter is not None:
            return self._flow.variables.parameter(value, parameter)
        sink = self._sink_behind(function)
        is_of_torch = self._subject.of_torch and self._source_of(function).origin is Origin.TORCH
        takes = sink is not None and key in sink.parameters
        return Verdict(Role.CONSUMED, call) if takes or (is_of_torch and self._subject.names(key)) else None

    def _method_later(self, call: Node, position: int) -> Verdict | None:
        """``methodcaller('to', 'cuda')``; the name of the method is no text of the subject."""
        if position == 0:
            return self._subject.at(PlaceKind.INDEX)
        method = arguments_of(call).at(0)
        name = templates.plain_text(method.value) if method is not None else None
        sink = self._subject.methods.get(name) if name is not None else None
        return Verdict(Role.CONSUMED, call) if sink is not None and sink.takes(position - 1) else None

    def _sink_behind(self, function: Node) -> Sink | None:
        """The sink that a function is which is not called here."""
        resolution = self._flow.ctx.source.names.qualified_name(function)
        sink = self._subject.sinks().get(resolution.qualified_name) if resolution is not None else None
        name, receiver = field(function, "attribute"), field(function, "object")
        if sink is not None or name is None or receiver is None:
            return sink
        is_foreign = self._subject.of_torch and is_of_other_devices(receiver, self._flow.ctx)
        return None if is_foreign else self._subject.methods.get(text_of(name))

    def _is_of_module(self, qualified: str | None) -> bool:
        """Whether a function belongs to a module of the subject."""
        if qualified is None or not qualified.startswith(self._subject.modules):
            return False
        return not any(part in qualified for part in self._subject.apart)

    def _by_callee(self, value: Value, call: Node, function: Node, name: str, position: int) -> Step | None:
        """What the callee's own name shows, whatever it belongs to."""
        sink = self._called(call, name)
        if sink is not None and sink.takes(position):
            return Verdict(Role.CONSUMED, call)
        if name in self._subject.keeps:
            return value.moved(call)
        if name in ("getattr", "hasattr", "setattr", "delattr"):
            return self._attribute(value, call, name, position)
        if name == "__getattribute__":
            return self._subject.at(PlaceKind.INDEX)
        if position == 0 and (name in _GIVES_ITEM or name in _ITEM_METHODS):
            receiver = field(function, "object")
            if receiver is not None and self._subject.holder(receiver, self._flow.ctx):
                return Verdict(Role.CONSUMED, call)
        if name in _GIVES_ITEM:
            return self._subject.at(PlaceKind.INDEX) if position == 0 else self._default_item(value, call)
        if name in _KEEPS_TEXT or (name in _HOLDS_DEFAULT and position == 0):
            return value.moved(call)
        if name == "len":
            return self._measured(value, call)
        if name in _KEEPS_LIST and value.boxed:
            return value.moved(call)
        if name == "filter" and position == 1 and value.boxed:
            return value.moved(call)
        if name == "next" and position == 0 and value.boxed:
            return value.unboxed(call)
        if name == "enumerate" and value.boxed:
            return self._flow.variables.drawn_with(value, call, 1, 2)
        if name in _DRAWS_TOGETHER and value.boxed:
            together = arguments_of(call).positional
            return self._flow.variables.drawn_with(value, call, position, len(together))
        if name == "Choice":
            return self._flow.options.choice(value, call)
        if name in FLAGS:
            return self._flow.options.flag(value, call, position)
        if function.type == "attribute":
            step = self._by_method(value, call, function, name, position)
            if step is not None:
                return step
        return self._shown(value, name)

    def _shown(self, value: Value, name: str) -> Step | None:
        """What a callee is by its name that shows each of its arguments to a person, or raises with it."""
        is_shown = name in self._subject.shown_by or name.startswith(self._subject.shown_by_prefix)
        if is_shown or name in OPTIONS:
            return SHOWN if value.node.type == "string" else NEUTRAL
        if name.endswith(("Error", "Exception", "Warning")):
            return NEUTRAL
        return None

    def _by_method(self, value: Value, call: Node, function: Node, name: str, position: int) -> Step | None:
        receiver = field(function, "object")
        if receiver is None:
            return None
        sink = self._subject.methods.get(name)
        if sink is not None and sink.takes(position):
            if self._subject.of_torch and is_of_other_devices(receiver, self._flow.ctx):
                library = source_of_value(receiver, self._flow.ctx).library
                return Verdict(Role.FOREIGN, call, library=library)
            return Verdict(Role.CONSUMED, call)
        if name == "format":
            return self._formatted(value, call, receiver, str(position))
        if name == "join" and value.boxed:
            return self._joined(value, call, receiver)
        if name == "replace" and position == 1:
            return value.moved(call)  # ``name.replace('gpu', 'cuda')``
        if name in _SEARCHES:
            return self._searched(value, receiver)
        if name.startswith("assert"):
            return self._asserted(value, call, position)
        if name in _PUTS_INTO_LIST:
            return self._flow.variables.put_into(value, receiver)
        if name == "parametrize":
            return self._parametrized(value, call)
        return None

    def _formatted(self, value: Value, call: Node, receiver: Node, name: str) -> Step:
        """``'{}:{}'.format('cuda', 0)``, and by name."""
        text = templates.format_filled(templates.template_of(receiver), name, value.text)
        return value._replace(node=call, text=text)

    def _joined(self, value: Value, call: Node, receiver: Node) -> Step:
        """``':'.join(['cuda', '0'])``."""
        text = templates.joined(receiver, value.node, value.text)
        return Value(call, text) if text is not None else NEUTRAL

    def _asserted(self, value: Value, call: Node, position: int) -> Verdict:
        """``self.assertEqual(x.device.type, 'cuda')``: a comparison."""
        other = arguments_of(call).at(1 - position) if position < 2 else None
        if other is not None and self._flow.comparisons.is_named(other.value):
            return Verdict(Role.TEST, call)
        return self._subject.at(PlaceKind.COMPARED) if value.node.type == "string" else NEUTRAL

    def _searched(self, value: Value, receiver: Node) -> Verdict:
        if receiver.type == "string" or not self._flow.comparisons.is_named(receiver):
            return self._subject.at(PlaceKind.SEARCHED)
        if value.boxed:
            return SHOWN if value.is_mixed(self._subject) else Verdict(Role.MEMBER, value.node, certain=False)
        return Verdict(Role.TEST, receiver)

    # -- attributes by name, and items with a default ----------------------------------------------

    def _attribute(self, value: Value, call: Node, name: str, position: int) -> Step:
        """``getattr(torch, 'cuda')``, and ``getattr(args, 'device', 'cuda')``."""
        arguments = arguments_of(call)
        owner, key = arguments.at(0), arguments.at(1)
        if position == 1 and owner is not None and name in ("getattr", "hasattr"):
            resolution = self._flow.ctx.source.names.qualified_name(owner.value)
            wanted = f"{resolution.qualified_name}.{value.text}" if resolution is not None else ""
            if wanted not in self._subject.attributes:
                return self._subject.at(PlaceKind.INDEX)
            is_literal = value.node.type == "string"
            return Verdict(Role.ATTRIBUTE if is_literal else Role.CONSUMED, call)
        if position != 2 or key is None:
            return self._subject.at(PlaceKind.INDEX) if position == 1 else NEUTRAL
        if name == "getattr":
            return self._default_item(value, call)
        if self._subject.names(templates.plain_text(key.value) or ""):
            return self._flow.variables.by_name(value, call)
        return self._subject.at(PlaceKind.ARGUMENT)

    def _default_item(self, value: Value, call: Node) -> Verdict:
        """The default of ``d.get('device', 'cuda')``: what the whole call gives, or what its key says."""
        keys = [templates.plain_text(argument.value) or "" for argument in arguments_of(call).positional[:2]]
        named = any(self._subject.names(key) for key in keys) and not self._flow.is_foreign_file
        if named and self._subject.name_first:
            return self._flow.variables.by_name(value, call)
        verdict = self._flow.climber.climb(value.moved(call))
        if verdict.role not in SILENT:
            return verdict
        return self._flow.variables.by_name(value, call) if named else verdict

    # -- what is measured, and tests for several values ---------------------------------------------

    def _measured(self, value: Value, call: Node) -> Verdict:
        """``device[len('cuda:'):]``: what is cut off a device's name."""
        item = enclosing(call, "subscript")
        cut = field(item, "value")
        if cut is not None and self._flow.comparisons.is_named(cut):
            return Verdict(Role.TEST, cut)
        return NEUTRAL

    def _parametrized(self, value: Value, call: Node) -> Verdict:
        """``parametrize('device', ['cpu', 'cuda'])``."""
        names = arguments_of(call).at(0)
        if names is None or not value.boxed or value.is_mixed(self._subject):
            return SHOWN
        named = self._subject.names(templates.plain_text(names.value) or "")
        return Verdict(self._subject.named, call) if named else self._subject.at(PlaceKind.ARGUMENT)

    # -- sinks -------------------------------------------------------------------------------------

    def _sink(self, call: Node) -> Sink | None:
        name = self.qualified(call)
        sink = self._subject.sinks().get(name) if name is not None else None
        return sink or self._called(call, last_name(call))

    def _called(self, call: Node, name: str) -> Sink | None:
        """The sink that a callee is by the last part of its name, or of the one it was imported by."""
        table = self._subject.called
        if not table or name in table:
            return table.get(name)
        return table.get((self.qualified(call) or "").rpartition(".")[2])

    def _into(self, sink: Sink, value: Value, call: Node) -> Verdict:
        """A sink, where it is not another rule that changes the call."""
        return SHOWN if self._is_of_another_rule(sink, value, call) else Verdict(Role.CONSUMED, call)

    def _is_of_another_rule(self, sink: Sink, value: Value, call: Node) -> bool:
        """Whether a text is given directly to a sink in a version that has no NPU there, but for a name that
        an older place may bring, too: what is given to this one is for newer versions."""
        too_old = sink.since is not None and self._flow.ctx.version < sink.since
        resolution = self._flow.ctx.source.names.qualified_name(applied(call)) if too_old else None
        is_only = resolution is not None and resolution.certainty is not Certainty.AMBIGUOUS
        return is_only and value.node.type == "string"

    def qualified(self, call: Node) -> str | None:
        """The qualified name of what a call calls, or applies its arguments to."""
        resolution = self._flow.ctx.source.names.qualified_name(applied(call))
        return resolution.qualified_name if resolution is not None else None
