"""The steps through calls that are known by their names alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import TypeGuard

from tree_sitter import Node

from ...flow.climb.options import FLAGS, HOLDS_VALUES, OPTIONS
from ...flow.templates import plain_text
from ...text.syntax import arguments_of, field, last_name, text_of
from ..values import ITEM, EndKind, Met, Value
from .declared_options import DeclaredOptions
from .parts import Tracing

Steps = Iterator[Value]
Step = Callable[[Value, Node, int | str], Steps | None]
"""What a call makes of a value that is an argument of it, by its position or name; None where the call is
none of those that the step knows."""

SEARCHES = frozenset(
    {
        "startswith", "endswith", "split", "rsplit", "partition", "replace", "removeprefix", "removesuffix",
        "find", "index", "count", "strip", "lstrip", "rstrip", "__eq__",
    }
)  # fmt: skip
"""Methods that look for a text."""
_KEEPS_TEXT = frozenset({"str", "repr", "cast", "format", "fspath", "intern"})
_KEEPS_HOLDER = HOLDS_VALUES | {
    "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "cycle", "dict", "vars", "asdict",
    "copy", "deepcopy", "create", "to_container", "structured", "merge", "enumerate", "next", "Box",
}  # fmt: skip
"""Calls that give what their argument holds."""
_ADDS = frozenset({"append", "add", "insert", "appendleft"})
_CHANGES_FIELDS = frozenset({"replace", "evolve", "_replace", "assoc"})
_DEFAULTS = frozenset({"Option", "Argument", "Field", "field", "ib", "attrib", "PrivateAttr"})
_GETS = frozenset({"get", "pop", "setdefault", "getenv"})
_ENVIRONMENT = re.compile(r"\b(?:getenv|environ\.(?:get|setdefault|pop))$")
_ERRORS = ("Error", "Exception", "Warning")


class KnownCalls:
    """Finds the steps by the last name of what is called."""

    def __init__(self, tracer: Tracing) -> None:
        self._tracer = tracer
        self.options = DeclaredOptions(tracer)
        table: tuple[tuple[Collection[str], Step], ...] = (
            (OPTIONS | FLAGS | {"set_defaults"}, self.options.declared),
            (("Choice",), self._choice),
            (_DEFAULTS, self._described),
            (HOLDS_VALUES | {"dict"}, self._held),
            (("update",), self._updated),
            (_KEEPS_TEXT, self._kept_text),
            (_KEEPS_HOLDER, self._kept_holder),
            (("join",), self._joined),
            (_GETS, self._got),
            (("getattr",), self._got_attribute),
            (_CHANGES_FIELDS, self._changed),
            (("setattr",), self._set),
            (_ADDS, self._added),
            (("extend",), self._extended),
            (SEARCHES, self._searched),
            (tracer.subject.shown_by, self._shown),
        )
        self._steps: dict[str, list[Step]] = {}
        for names, step in table:
            for name in names:
                self._steps.setdefault(name, []).append(step)

    def steps(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """The steps through a call; None for one that its name does not explain."""
        name = last_name(call)
        for step in self._steps.get(name, ()):
            found = step(value, call, argument)
            if found is not None:
                return found
        return iter(()) if name.endswith(_ERRORS) else None

    def _choice(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return self.options.choices_of(value, call) if value.access else None

    def _described(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        is_default = argument in ("default", "default_factory", "factory", 0)
        return self.options.described(value, call) if is_default else None

    def _held(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``dict(key=value)``."""
        return iter((value.within(argument, call),)) if _is_name(argument) else None

    def _updated(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``holder.update(key=value)`` and ``holder.update(values)``."""
        if _is_name(argument):
            return self._into_receiver(value.within(argument, call), call)
        return self._into_receiver(value, call) if value.access else None

    def _kept_text(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return iter((value.at(call),)) if not value.access else None

    def _kept_holder(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return iter((value.at(call),)) if value.access else None

    def _joined(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return iter((value._replace(access=value.access[1:], node=call),)) if value.access else None

    def _got(self, value: Value, call: Node, argument: int | str) -> Steps:
        """``holder.get('name', default)``; a variable of the environment is an input as an option is."""
        name, function = arguments_of(call).at(0), field(call, "function")
        is_variable = function is not None and _ENVIRONMENT.search(text_of(function)) is not None
        if is_variable and name is not None and not value.access:
            variable = plain_text(name.value)
            flags = (f"${variable}",) if variable else ()
            self._tracer.end(EndKind.OPTION, value, call, Met(flags=flags))
        return iter((value.at(call),) if argument in (1, "default") else ())

    def _got_attribute(self, value: Value, call: Node, argument: int | str) -> Steps:
        """``getattr(holder, 'name', default)``."""
        if argument in (2, "default"):
            yield value.at(call)
        elif argument == 0 and value.access:
            key = arguments_of(call).at(1)
            taken = value.taken(plain_text(key.value) or "", call) if key is not None else None
            if taken is not None:
                yield taken

    def _changed(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``replace(config, name=value)``: an instance of the same class with another value in a field."""
        if not _is_name(argument):
            return None
        function = field(call, "function")
        first = arguments_of(call).at(0)
        holder = first.value if first is not None else field(function, "object")
        owner = self._tracer.definitions.classes.of(value.file, holder) if holder is not None else None
        if owner is not None:
            return self._tracer.stores.field(value._replace(calls=()), owner, argument)
        return iter((value.within(argument, call),))

    def _set(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``setattr(owner, 'name', value)``."""
        if argument != 2:
            return None
        arguments = arguments_of(call)
        owner, name = arguments.at(0), arguments.at(1)
        text = plain_text(name.value) if name is not None else None
        return self._tracer.stores.attribute(value, owner.value, text) if owner and text else iter(())

    def _added(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return self._extended(value.within(ITEM, value.node), call, argument)

    def _extended(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        has_receiver = field(field(call, "function"), "object") is not None
        return self._into_receiver(value, call) if has_receiver else None

    def _searched(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """The word is what is searched for; that is an end of what is searched."""
        return iter(()) if argument == 0 and not value.access else None

    def _shown(self, value: Value, call: Node, argument: int | str) -> Steps:
        return iter(())

    def _into_receiver(self, value: Value, call: Node) -> Steps:
        """What the object of a method holds from now on."""
        receiver = field(field(call, "function"), "object")
        if receiver is not None:
            yield from self._tracer.stores.into(value, receiver)


def _is_name(argument: int | str) -> TypeGuard[str]:
    return isinstance(argument, str) and argument != ITEM
