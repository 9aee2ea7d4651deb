"""What a call does with a word that it is given, or that it is a method of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tree_sitter import Node

from ....limits.parents import parent_of
from ....limits.walks import FORWARD_LIMITS, PROGRAM_LIMITS
from ....text.syntax import arguments_of, call_of, field, is_field, last_name, same, text_of
from ...libraries import Origin
from ...names.declared_values import is_enumeration, makes_dictionaries, values_of_members
from ...names.definition import CLASS, Definition
from ...subject import PlaceKind
from ...templates import UNKNOWN_PART, plain_text
from ...verdicts import Role
from ...words import is_device_text
from ..parts import Tracing
from ..values import ITEM, CallSite, EndKind, Value
from .known_calls import SEARCHES, KnownCalls
from .later import callee_of, taker_of
from .outside import OutsideCalls, takes

OF_TEXT = frozenset(
    {
        "lower", "upper", "strip", "lstrip", "rstrip", "casefold", "split", "rsplit", "partition",
        "rpartition", "replace", "removeprefix", "removesuffix", "title", "encode", "decode", "expandtabs",
    }
)  # fmt: skip

_COPIES = frozenset(
    {"copy", "clone", "deepcopy", "union", "to_dict", "to_container", "model_copy", "model_dump", "_asdict"}
)
"""Methods that give an object with the same fields or entries."""


def _separates(call: Node) -> bool:
    """Whether a call gives the parts of a text between commas: ``devices.split(",")``."""
    given = arguments_of(call).at(0)
    is_split = last_name(call) in ("split", "rsplit")
    return is_split and given is not None and (plain_text(given.value) or "").strip() in (",", ";")


class Calls(OutsideCalls):
    """The steps through calls."""

    def __init__(self, tracer: Tracing) -> None:
        super().__init__(tracer)
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
        if parent.named_child_count > FORWARD_LIMITS.items:
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
        apart = None if by_name else self._apart_of(value.file, call)
        if apart is not None:
            self._apart(value, apart, call)
            return
        later = taker_of(call, value.access, argument)
        steps = self._later(value, call, *later) if later is not None else None
        if steps is not None:
            yield from steps
        elif by_name or not self._takes_position(value, call, function, argument):
            yield from self._handed(value, call, function, argument)

    def _takes_position(self, value: Value, call: Node, function: Node, argument: int | str) -> bool:
        """Record the use by what takes an argument by its position; whether something does."""
        sink = self._called(value.file, call)
        is_taken = sink is not None and isinstance(argument, int) and sink.takes(argument)
        if is_taken and not value.is_entry:
            self._take(value, call)
            return True
        return self._is_taken_by_method(value, call, function, argument)

    def _handed(self, value: Value, call: Node, function: Node, argument: int | str) -> Iterator[Value]:
        """The step into what is known by its name, or by its definition."""
        known = self._known.steps(value, call, argument)
        if known is not None:
            yield from known
            return
        if not value.is_entry and self._is_taken(value, call, argument):
            if last_name(call) in self._subject.makers:
                yield value.at(call)._replace(text="")
            return
        found = self._tracer.definitions.called(value.file, function)
        if found is not None:
            yield from self.entered(value, found, argument, call)
            return
        yield from self._foreign(value, call, function, argument)

    def _later(
        self, value: Value, call: Node, function: Node, argument: int | str, is_item: bool
    ) -> Iterator[Value] | None:
        """What a function does that is called later with an argument of a call; None where that is open."""
        if is_item and (self._tracer.is_mixed(value) or self._tracer.is_crowded(value)):
            return None
        moved = value._replace(access=value.access[1:], display=None)
        moved = moved if value.access else value
        found = self._tracer.definitions.of(value.file, function)
        if found is not None:
            return self.entered(moved, found, argument, None)
        if function.type == "lambda" and isinstance(argument, int):
            names = field(function, "parameters")
            given = names.named_children[argument : argument + 1] if names is not None else ()
            return chain.from_iterable(self._tracer.reads(moved, name) for name in given)
        sink = self._sink_behind(value.file, call, function)
        is_taken = sink is not None and takes(sink, argument)
        origin = self._origin(value.file, function)
        is_named = isinstance(argument, str) and self._subject.names(argument)
        if not is_taken and not (origin is Origin.TORCH and is_named):
            return None
        self._tracer.end(EndKind.TAKES, moved, call)
        return iter(())

    # -- functions and classes of the project ----------------------------------------------------------

    def entered(
        self, value: Value, called: Definition, argument: int | str, call: Node | None
    ) -> Iterator[Value]:
        """The reads of the parameter of a function or class of the project that takes an argument."""
        if called.kind == CLASS and makes_dictionaries(called.node) and isinstance(argument, str) and call:
            yield self._tracer.stores.entry(value, argument, call)._replace(node=call)
            return
        if call is not None and called.kind == CLASS and self._is_enumeration(called):
            members = list(values_of_members(called.node))
            self._tracer.tests.looked_up_among(value, call, members, called.file)
            self._tracer.seen(value, Role.UNKNOWN, call, proof=False)
            yield value.at(call)
            return
        found = self._tracer.definitions.parameter(called, argument)
        if found is None:
            yield from self._collected(value, called, argument, call)
            return
        entered = self._entering(value, called, call).at(found.node, found.file)
        self._tracer.tests.annotated(entered, found.node)
        yield from self._tracer.reads(entered, found.node)

    def _is_enumeration(self, called: Definition) -> bool:
        return is_enumeration(self._tracer.definitions.classes.ancestry(called))

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
        if name == "group" and value.text:
            yield from self._of_match(value, call)
        if (name in OF_TEXT or name == "format") and value.text:
            yield from self._of_text(value, call)
        elif name in self._subject.keeps:
            yield value.at(call)

    def _of_match(self, value: Value, call: Node) -> Iterator[Value]:
        """What a pattern has matched of a text: all of it, or what stands first, or has a name, the word."""
        given = arguments_of(call).at(0)
        key = text_of(given.value) if given is not None else "0"
        if key in ("0", "1") or not key.isdecimal():
            yield value.at(call)._replace(text=value.text if key == "0" else self._subject.sample)

    def _of_text(self, value: Value, call: Node) -> Iterator[Value]:
        """What a method of texts gives: the text where it is plain, else likely a part of the word; of a text
        that lists several, each."""
        if _separates(call) and not self._subject.part_counts:
            yield value.within(ITEM, call)
            return
        for made in self._tracer.made(value, call):
            is_known = not made.text.startswith(UNKNOWN_PART)
            if is_known or value.is_kept:
                yield made if is_known else value.at(call)

    @staticmethod
    def _of_section(taken: Value, call: Node) -> Value:
        """What ``parser.get("run", "device")`` gives of a section; a dictionary has a default there."""
        option = arguments_of(call).at(1)
        key = plain_text(option.value) if option is not None else None
        return (taken.taken(key, call) or taken) if key is not None else taken

    def _method_of_holder(self, value: Value, call: Node, name: str) -> Iterator[Value]:
        key = arguments_of(call).at(0)
        if name in ("get", "pop", "setdefault", "__getitem__", "getattr"):
            text = plain_text(key.value) if key is not None else None
            taken = value.taken(text, call) if text is not None else None
            if taken is not None:
                yield self._of_section(taken, call)
            elif text is None and key is not None:
                is_certain = value.is_certain and is_device_text(value.access[0])  # a table by devices
                yield value._replace(access=value.access[1:], node=call, is_certain=is_certain)
        elif name == "values":
            yield value._replace(access=(ITEM, *value.access[1:]), node=call)
        elif name == "items":
            yield value.at(call)
            yield from self._named_items(value, call)
        elif name in _COPIES:
            yield value.at(call)

    def _named_items(self, value: Value, call: Node) -> Iterator[Value]:
        """``for name, item in holder.items()``: its second variable, or the attribute that gets the name."""
        loop, names = parent_of(call), field(parent_of(call), "left")
        if loop is None or loop.type != "for_statement" or names is None or names.named_child_count != 2:
            return
        given = [text_of(name) for name in names.named_children]
        self._checked_items(value, loop, *given)
        for setting in (call_of(use) for use in value.file.source.identifiers_in("setattr", loop)):
            texts = [text_of(item.value) for item in arguments_of(setting).positional] if setting else []
            if setting is not None and texts[1:] == given:
                owner = arguments_of(setting).positional[0].value
                yield from self._tracer.stores.attribute(value.unboxed(value.node), owner, value.access[0])
                return
        yield value._replace(access=(ITEM, "[1]", *value.access[1:]), node=call, is_certain=False)

    def _checked_items(self, value: Value, loop: Node, key: str, item: str) -> None:
        """Record where each item is looked up under its own name: ``value not in VALID[key]``."""
        for use in value.file.source.identifiers_in(item, loop) if len(value.access) == 1 else ():
            test = parent_of(use)
            allowed = test.children[-1] if test is not None and test.type == "comparison_operator" else None
            if test is not None and allowed is not None and text_of(field(allowed, "subscript")) == key:
                self._tracer.tests.listed(value.unboxed(use), test, allowed)


def _arguments_before(splat: Node) -> int | None:
    """How many arguments stand before one that is unpacked; None where that is not known."""
    count, before = 0, splat.prev_named_sibling
    while before is not None:
        if before.type == "list_splat":
            return None
        count += before.type not in ("comment", "keyword_argument", "dictionary_splat")
        before = before.prev_named_sibling
    return count
