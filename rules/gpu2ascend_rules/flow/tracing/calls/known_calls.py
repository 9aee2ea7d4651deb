"""The steps through calls that are known by their names alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from typing import TypeGuard

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.syntax import arguments_of, called_on, enclosing, field, is_field, last_name, text_of
from ...names.definition import Definition
from ...names.files import ProgramFile
from ...names.parameters import parameter_named
from ...subject import PlaceKind
from ...templates import plain_text
from ...verdicts import Role
from ..parts import TracerPart, Tracing
from ..values import ITEM, EndKind, Met, Value
from .declarations import FLAGS, HOLDS_VALUES, OPTIONS, declares_by_add
from .declared_options import DeclaredOptions

Steps = Iterator[Value]
SEARCHES = frozenset(
    {
        "startswith", "endswith", "split", "rsplit", "partition", "replace", "removeprefix", "removesuffix",
        "find", "index", "count", "strip", "lstrip", "rstrip", "__eq__", "rpartition", "rfind", "rindex",
    }
)  # fmt: skip
"""Methods that look for a text."""
_MATCHES = frozenset({"match", "fullmatch", "search", "findall", "finditer", "sub", "subn"})
_KEEPS_TEXT = frozenset({"str", "repr", "cast", "fspath", "intern"})
_KEEPS_HOLDER = HOLDS_VALUES | {
    "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "cycle", "dict", "vars", "asdict",
    "copy", "deepcopy", "create", "to_container", "structured", "merge", "Box",
}  # fmt: skip
"""Calls that give what their argument holds."""
_FILLS = frozenset({"model_validate", "parse_obj", "from_dict"})
"""Calls of pydantic, dacite and their like that make an instance of a dictionary."""
_DRAWS_TOGETHER = frozenset({"zip", "zip_longest", "product"})
"""Calls that give tuples of one element of each argument."""
_ADDS = frozenset({"append", "add", "insert", "appendleft"})
_CHANGES_FIELDS = frozenset({"replace", "evolve", "_replace", "assoc"})
_DEFAULTS = frozenset({"Option", "Argument", "Field", "field", "ib", "attrib", "PrivateAttr"})
_GETS = frozenset({"get", "pop", "setdefault", "getenv"})
_ITEM_METHODS = frozenset({"__contains__", "__getitem__", "__setitem__", "__delitem__"})
_ENVIRONMENT = re.compile(r"\b(?:getenv|environ\.(?:get|setdefault|pop))$")
_ERRORS = ("Error", "Exception", "Warning")


class KnownCalls(TracerPart):
    """Finds the steps by the last name of what is called."""

    def __init__(self, tracer: Tracing) -> None:
        super().__init__(tracer)
        self.options = DeclaredOptions(tracer)

    def steps(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """The steps through a call; None for one that its name does not explain."""
        name = _name_of(call, value.file)
        if name in self._subject.keeps and not _is_name(argument):
            return self._kept(value, call)
        for step in _STEPS.get(name, ()):
            found = step(self, value, call, argument)
            if found is not None:
                return found
        is_method = called_on(call) is not None
        if argument == "choices":
            return self.options.allowed(value, call)
        if is_method and name.startswith("assert") and isinstance(argument, int) and not value.access:
            self._tracer.tests.asserted(value, call, argument)
            return iter(())
        if _is_name(argument):
            return None
        is_shown = name in self._subject.shown_by or name.startswith(self._subject.shown_by_prefix)
        if is_shown and not self._is_of_project(value, call):
            return self._shown(value)
        return iter(()) if name.endswith(_ERRORS) else None

    def _is_of_project(self, value: Value, call: Node) -> bool:
        """Whether a function of the project is called, whose code shows what it does."""
        function = field(call, "function")
        return function is not None and self._tracer.definitions.of(value.file, function) is not None

    def _shown(self, value: Value) -> Steps:
        if value.node.type == "string":
            self._tracer.seen(value, Role.SHOWN)
        return iter(())

    def _kept(self, value: Value, call: Node) -> Steps:
        return iter((value.at(call),))

    def _formatted(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``'{}:{}'.format('cuda', 0)``, and by name."""
        receiver = called_on(call)
        return (
            None if receiver is None or value.access or argument == ITEM else self._tracer.made(value, call)
        )

    def _attribute(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``getattr(torch, 'cuda')``, ``getattr(args, 'd', 'cuda')`` and ``setattr(args, 'd', 'cuda')``."""
        name, arguments = last_name(call), arguments_of(call)
        owner, key = arguments.at(0), arguments.at(1)
        if argument == 1 and owner is not None:
            self._by_name_of_attribute(value, call, owner.value)
            return iter(())
        text = (plain_text(key.value) if key is not None else None) or ""
        if name == "getattr" and argument == 0 and value.access:
            taken = value.taken(text, call)
            return iter((taken,)) if taken is not None else iter(())
        if argument not in (2, "default") or key is None:
            return iter(())
        if name == "getattr":
            return self._default(value, call, text)
        if name == "setattr" and owner is not None and text:
            return self._tracer.stores.attribute(value, owner.value, text)
        self._tracer.at(value, PlaceKind.ARGUMENT)
        return iter(())

    def _by_name_of_attribute(self, value: Value, call: Node, owner: Node) -> None:
        wanted = f"{value.file.source.names.name_of(owner)}.{value.text}"
        if last_name(call) not in ("getattr", "hasattr") or wanted not in self._subject.attributes:
            self._tracer.at(value, PlaceKind.INDEX)
        else:
            is_literal = value.node.type == "string"
            self._tracer.seen(value, Role.ATTRIBUTE if is_literal else Role.CONSUMED, call)

    def _item(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``environ.__getitem__('CUDA_HOME')``, and the name of a method."""
        if argument != 0:
            return None
        if last_name(call) not in _ITEM_METHODS:
            self._tracer.at(value, PlaceKind.INDEX)
            return iter(())
        return iter(()) if self._is_held(value, call) else None

    def _is_held(self, value: Value, call: Node) -> bool:
        """Record that a word is a key of the object of a method, if its keys are of the subject."""
        receiver = called_on(call)
        if receiver is None or not self._subject.holder(receiver, value.file.ctx):
            return False
        self._tracer.seen(value, Role.CONSUMED, call)
        return True

    def _got(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``holder.get('name', default)``; a variable of the environment is an input as an option is."""
        if argument == 0:
            self._looked_up(value, call, called_on(call))
            return iter(())
        key = arguments_of(call).at(0)
        text = plain_text(key.value) if key is not None else None
        if text and not value.access and _ENVIRONMENT.search(text_of(field(call, "function") or call)):
            self._tracer.end(EndKind.OPTION, value, call, Met(flags=(f"${text}",)))
        return self._default(value, call, text or "") if argument in (1, "default") else None

    def _looked_up(self, value: Value, call: Node, table: Node | None) -> None:
        is_entry = table is not None and not value.access and last_name(call) == "setdefault"
        is_known = is_entry and table is not None and self._tracer.tests.entered(value, call, table)
        if not is_known and not self._is_held(value, call):
            self._tracer.at(value, PlaceKind.INDEX)
        if table is not None and not value.access:
            self._tracer.tests.meets_in_table(value, call, table)

    def _default(self, value: Value, call: Node, *keys: str) -> Steps:
        """What a call gives where nothing else is there: what its key says, or what the call is used as."""
        names = [plain_text(item.value) or "" for item in arguments_of(call).positional[:2]]
        if any(map(self._subject.names, (*keys, *names))) and not self._tracer.is_foreign(value.file):
            self._tracer.called(value, call, "", *keys, *names, is_shared=True)
        yield value.at(call)

    def _measured(self, value: Value, call: Node, argument: int | str) -> Steps:
        """``device[len('cuda:'):]``: what is cut off a device's name; ``len(device) > 4``."""
        self._tracer.counts.measured(value, call)
        item = enclosing(call, "subscript")
        cut = field(item, "value")
        if cut is not None and self._tracer.is_named(value.file, cut):
            self._tracer.seen(value, Role.TEST, cut)
        return iter(())

    def _filtered(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return iter((value.at(call),)) if argument == 1 and value.has_items else None

    def _next(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return iter((value.unboxed(call),)) if argument == 0 and value.has_items else None

    def _counted(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return self._together(value, call, 1) if value.has_items else None

    def _drawn(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return (
            self._together(value, call, argument) if value.has_items and isinstance(argument, int) else None
        )

    def _together(self, value: Value, call: Node, place: int) -> Steps:
        """The elements of a list that are drawn with others: items of tuples at one place."""
        loop = parent_of(call)
        if loop is None or not is_field(call, "right"):
            self._tracer.seen(value, Role.UNKNOWN, proof=False)
        return iter((value._replace(node=call, access=(ITEM, f"[+{place}]", *value.access[1:])),))

    def _parametrized(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``mark.parametrize('device', ['cpu', 'cuda'])``, also of several names with a row for each case."""
        if called_on(call) is None:
            return None
        names = _names_of_cases(call)
        is_row = len(names) > 1
        if not value.is_boxed or (not is_row and self._tracer.is_mixed(value)):
            self._tracer.seen(value, Role.SHOWN)
            return iter(())
        rest = value.access[1:]
        place = rest[0].strip("[]") if is_row and rest else "0"
        name = names[int(place)] if place.isdecimal() and int(place) < len(names) else ""
        holder = parent_of(call)
        function = field(parent_of(holder), "definition") if holder is not None else None
        if function is not None and name and parameter_named(function, name) is not None:
            case = value._replace(access=rest[1:] if is_row else rest, display=None)
            return self._tracer.calls.entered(case, Definition(value.file, function), name, None)
        if self._subject.names(name):
            self._tracer.seen(value, self._subject.named, call)
        else:
            self._tracer.at(value, PlaceKind.ARGUMENT)
        return iter(())

    def _one_of_parametrized(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``pytest.param('cuda', marks=gpu)``: a value for one parameter, or a row for several."""
        if value.access or not isinstance(argument, int):
            return None
        is_alone = len(arguments_of(call).positional) == 1
        return iter((value.at(call) if is_alone else value.within(f"[{argument}]", call),))

    def _choice(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return self.options.choices_of(value, call) if value.access else None

    def _described(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        is_default = argument in ("default", "default_factory", "factory", 0)
        return self.options.described(value, call) if is_default else None

    def _held(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``dict(key=value)`` and ``Namespace(key=value)``."""
        if not _is_name(argument):
            return None
        if last_name(call) == "dict":
            return iter((self._tracer.stores.entry(value, argument, call)._replace(node=call),))
        return self.options.held(value, call, argument)

    def _updated(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``holder.update(key=value)`` and ``holder.update(values)``."""
        if _is_name(argument):
            return self._into_receiver(self._tracer.stores.entry(value, argument, call), call)
        return self._into_receiver(value, call) if value.access else None

    def _kept_text(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return iter((value.at(call),)) if not value.access and not _is_name(argument) else None

    def _kept_holder(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        return iter((value.at(call),)) if value.access else None

    def _filled(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``Config.model_validate({...})``, ``from_dict(Config, {...})``: entries are fields."""
        if not value.is_entry or self._is_of_project(value, call):
            return None
        owner = self._tracer.definitions.classes.of(value.file, call)
        return chain([value.at(call)], self._into_fields(value, owner)) if owner is not None else None

    def _into_fields(self, value: Value, owner: Definition) -> Steps:
        """The field that an entry fills, and of a dictionary in it those of the class of the field."""
        entry, key = value._replace(access=value.access[1:], display=None), value.access[0]
        yield from self._tracer.calls.entered(entry, owner, key, None)
        field_of = self._tracer.definitions.parameter(owner, key) if entry.is_entry else None
        inner = self._tracer.definitions.classes.of(field_of.file, field_of.node) if field_of else None
        if inner is not None:
            yield from self._into_fields(entry, inner)

    def _joined(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``':'.join(['cuda', '0'])``."""
        receiver = called_on(call)
        return None if receiver is None or not value.is_boxed else self._tracer.made(value, call)

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

    def _added(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        if self._is_of_project(value, call):
            return None  # a registry of its own, and no list or set
        return self._extended(value.within(ITEM, value.node), call, argument)

    def _extended(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        has_receiver = called_on(call) is not None
        return self._into_receiver(value, call) if has_receiver else None

    def _searched(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """The word is what is searched for in the object of the method."""
        receiver = called_on(call)
        if receiver is None or _is_name(argument):
            return None
        if last_name(call) == "replace" and argument == 1:
            return iter((value.at(call),))  # ``name.replace('gpu', 'cuda')``
        if value.access and not value.is_boxed:
            return None
        self._tracer.tests.searched_for(value, call, receiver)
        return iter(())

    def _matched(self, value: Value, call: Node, argument: int | str) -> Steps | None:
        """``re.fullmatch('cpu|cuda', value)``, and by a compiled pattern."""
        if not self._tracer.tests.fits_pattern(value, call, argument):
            return None
        return iter(() if last_name(call).startswith("sub") else (value.at(call),))

    def _into_receiver(self, value: Value, call: Node) -> Steps:
        """What the object of a method holds from now on."""
        receiver = called_on(call)
        if receiver is not None:
            yield from self._tracer.stores.into(value, receiver)


def _is_name(argument: int | str) -> TypeGuard[str]:
    return isinstance(argument, str) and argument != ITEM


_Step = Callable[[KnownCalls, Value, Node, "int | str"], "Steps | None"]
"""What a call makes of a value that is an argument of it, by its position or name; None where the call is
none of those that the step knows."""
_TABLE: tuple[tuple[Collection[str], _Step], ...] = (
    (("format",), KnownCalls._formatted),
    (
        OPTIONS | FLAGS | {"set_defaults"},
        lambda calls, value, call, argument: calls.options.declared(value, call, argument),
    ),
    (("Choice",), KnownCalls._choice),
    (_DEFAULTS, KnownCalls._described),
    (HOLDS_VALUES | {"dict"}, KnownCalls._held),
    (("update",), KnownCalls._updated),
    (("getattr", "hasattr", "setattr", "delattr"), KnownCalls._attribute),
    (_ITEM_METHODS | {"__getattribute__", "methodcaller"}, KnownCalls._item),
    (_GETS, KnownCalls._got),
    (_KEEPS_TEXT, KnownCalls._kept_text),
    (("len",), KnownCalls._measured),
    (_KEEPS_HOLDER, KnownCalls._kept_holder),
    (_FILLS, KnownCalls._filled),
    (("filter",), KnownCalls._filtered),
    (("next",), KnownCalls._next),
    (("enumerate",), KnownCalls._counted),
    (_DRAWS_TOGETHER, KnownCalls._drawn),
    (("join",), KnownCalls._joined),
    (_CHANGES_FIELDS, KnownCalls._changed),
    (SEARCHES, KnownCalls._searched),
    (_MATCHES, KnownCalls._matched),
    (_ADDS, KnownCalls._added),
    (("extend",), KnownCalls._extended),
    (("param",), KnownCalls._one_of_parametrized),
    (("parametrize",), KnownCalls._parametrized),
)


def _names_of_cases(call: Node) -> list[str]:
    """The parameters of ``parametrize``: one text of names, or several."""
    given = arguments_of(call).at(0)
    if given is None:
        return []
    texts = given.value.named_children if given.value.type in ("tuple", "list") else [given.value]
    names = [part.strip() for text in texts for part in (plain_text(text) or "").split(",")]
    return [name for name in names if name]


def _name_of(call: Node, file: ProgramFile) -> str:
    """The last name of what is called: of an import, the one that it was imported by; behind a variable, a
    method that declares options."""
    behind = file.source.names.called_name(call)
    function = field(call, "function")
    if behind == "add" and declares_by_add(call):
        return "add_argument"
    if behind in OPTIONS or function is None or function.type != "identifier":
        return behind if behind in OPTIONS else last_name(call)
    resolution = file.source.names.qualified_name(function)
    if resolution is None or resolution.binding is None:
        return text_of(function)
    return resolution.qualified_name.rpartition(".")[2]


_STEPS: dict[str, tuple[_Step, ...]] = {}
for _names, _step in _TABLE:
    for _name in _names:
        _STEPS[_name] = (*_STEPS.get(_name, ()), _step)
