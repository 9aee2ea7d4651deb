"""Dictionaries whose keys are texts of a subject: tables that are looked up, and mappings of such texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...text.scopes import BindingKind
from ...text.syntax import (
    arguments_of,
    call_of,
    enclosing,
    field,
    first_of,
    is_field,
    last_name,
    parts_of,
    same,
    target_of,
    text_of,
)
from ..names.definition import FUNCTION, NAME, Definition
from ..names.files import ProgramFile
from ..names.given_arguments import given_arguments, place_of_parameter
from ..names.uses import Use, is_assigned
from ..templates import plain_text
from ..verdicts import Role
from .parts import TracerPart, Tracing
from .values import Value

_MOST_CALLS = 3
"""Functions one behind the other through which a table is looked up."""
_MOST_TABLES = 2
"""Tables one in the other."""
_GETTERS = frozenset({"get", "pop", "setdefault"})
Question = Callable[[ProgramFile, Node], bool]


class Tables(TracerPart):
    """What a dictionary is as a whole."""

    def __init__(self, tracer: Tracing) -> None:
        super().__init__(tracer)
        self._known: dict[tuple[str, str, int], bool] = {}

    def is_mapping(self, value: Value, dictionary: Node) -> bool:
        """Whether a dictionary maps texts to one another, as the ``map_location`` of ``torch.load`` does."""
        if not self._subject.mapped_by:
            return False
        target = target_of(dictionary)
        if target is not None and text_of(target).rpartition(".")[2] == self._subject.mapped_by:
            return True
        return self._any("mapping", value.file, dictionary, self._is_mapping_argument)

    def holds_siblings_alone(self, dictionary: Node) -> bool:
        """Whether the values prove one another: back ends and nothing else."""
        if not self._subject.siblings:
            return False
        pairs = [item for item in dictionary.named_children if item.type == "pair"]
        values = [plain_text(field(item, "value")) for item in pairs]
        return len(values) > 1 and all(value in self._subject.siblings for value in values)

    def key(self, value: Value, dictionary: Node) -> None:
        """Record what a key shows: it is of the subject where the table is looked up by such, or looks so."""
        if self._subject.holder(dictionary, value.file.ctx):
            self._tracer.seen(value, Role.CONSUMED, dictionary)
            return
        if self._any("looked up", value.file, dictionary, self._is_looked_up):
            self._tracer.seen(value, Role.KEY, dictionary)
            return
        pairs = (item for item in dictionary.named_children if item.type == "pair")
        role = self._subject.role_of_keys([plain_text(field(item, "key")) for item in pairs])
        if role is not Role.SHOWN and self._any("typed", value.file, dictionary, self._is_asked_by_type):
            self._tracer.seen(value, Role.KEY, dictionary)  # ``{"cuda": 1, "cpu": 2}.get(where.type)``
            return
        is_shown = role is Role.SHOWN
        self._tracer.seen(value, role, None if is_shown else dictionary, proof=is_shown)

    def is_asked_by_subject(self, file: ProgramFile, holder: Node) -> bool:
        """Whether a table is looked up by texts of the subject anywhere: ``OPS[x.device.type]``."""

        def is_asked() -> bool:
            uses = self._uses_of(file, holder)
            asked = (
                (other, item) for other, use, _ in uses if not _is_filled(use) for item in self._asked(use)
            )
            return any(self._is_of_subject(other, item, _MOST_CALLS) for other, item in asked)

        return self._once(("asked", file.path, holder.start_byte), is_asked)

    def _is_of_subject(self, file: ProgramFile, item: Node, calls: int) -> bool:
        """Whether an expression is of the subject, or is of a parameter that is given what is."""
        is_type = item.type == "attribute" and text_of(item).endswith(".type")
        name = field(item, "object") if is_type else item  # much else has a type: ``event.type``
        if name is not None and self._tracer.is_named(file, name):
            return True
        if not calls or name is None or name.type != "identifier":
            return False
        given = self._given_to(file, name)
        return any(self._is_of_subject(other, argument, calls - 1) for other, argument in given)

    def _given_to(self, file: ProgramFile, name: Node) -> Iterator[tuple[ProgramFile, Node]]:
        """What the proven calls of a function give the parameter that a name reads."""
        binding = next(iter(file.source.names.bindings_in_scope(text_of(name), name)), None)
        is_parameter = binding is not None and binding.kind is BindingKind.PARAMETER
        function = enclosing(binding.node, FUNCTION) if binding is not None and is_parameter else None
        if function is None:
            return
        place = place_of_parameter(text_of(name), function)
        for other, call, is_certain in self._tracer.uses.of_function(Definition(file, function)):
            given = given_arguments(call).get(text_of(name), place) if call.type == "call" else None
            if given is not None and is_certain:
                yield other, given

    def is_filled_with(self, file: ProgramFile, holder: Node, question: Question) -> bool:
        """Whether a table gets an entry of which something holds: by itself, or by what fills it."""

        def is_filled() -> bool:
            uses = ((other, use) for other, use, _ in self._uses_of(file, holder))
            filled = (key for other, use in ((file, holder), *uses) for key in self._filled_with(other, use))
            return any(question(*key) for key in filled)

        return self._once(("filled", file.path, holder.start_byte), is_filled)

    def _filled_with(self, file: ProgramFile, table: Node) -> Iterator[tuple[ProgramFile, Node]]:
        """The keys of ``table['a'] = f``, of ``table.update({'a': f}, a=f)``, and what the calls of a
        function are given that fills it by ``table[name] = f``."""
        call = call_of(parent_of(table))
        if call is not None and last_name(call) == "update":
            keys = (field(part, "key") or field(part, "name") for part in nodes_in(call))
            yield from ((file, key) for key in keys if key is not None)
        if not _is_filled(table):
            return
        yield from ((file, key) for key in self._asked(table))
        function = enclosing(table, FUNCTION)
        while function is not None:
            calls = self._tracer.uses.of_function(Definition(file, function))
            yield from ((other, item.value) for other, call, _ in calls for item in arguments_of(call).items)
            function = enclosing(function, FUNCTION)

    def _uses_of(self, file: ProgramFile, holder: Node, inside: int = 0) -> list[Use]:
        """The reads of the variable, or of the attribute of a class, that a table is, or that holds it."""
        outer = field(holder, "value") if holder.type == "subscript" else None
        if outer is not None:
            uses = self._uses_of(file, outer, inside + 1) if inside < _MOST_TABLES else []
            entries = (
                (other, parent_of(use), proven) for other, use, proven in uses if is_field(use, "value")
            )
            return [
                (other, entry, proven)
                for other, entry, proven in entries
                if entry and entry.type == "subscript"
            ]
        name, receiver = field(holder, "attribute"), field(holder, "object")
        if name is not None and receiver is not None:
            owner = self._tracer.definitions.classes.of(file, receiver)
            if owner is not None:
                return list(self._tracer.uses.of_field(owner, text_of(name)))
        table = self._tracer.definitions.of(file, holder)
        is_variable = table is not None and table.kind == NAME
        return (
            self._tracer.uses.of_variable(table.file, table.node) if table is not None and is_variable else []
        )

    def _any(self, asked: str, file: ProgramFile, dictionary: Node, question: Question) -> bool:
        """Whether a dictionary, or one of the names for it, is used as asked."""
        return self._once(
            (asked, file.path, dictionary.start_byte),
            lambda: any(question(file, place) for place in (dictionary, *self._reads(file, dictionary))),
        )

    def _once(self, about: tuple[str, str, int], find: Callable[[], bool]) -> bool:
        if about not in self._known:
            self._known[about] = find()
        return self._known[about]

    def _reads(self, file: ProgramFile, dictionary: Node) -> Iterator[Node]:
        target = target_of(dictionary)
        if target is None:
            return
        if target.type == "identifier":
            yield from (use for other, use, _ in self._tracer.uses.of_variable(file, target) if other is file)
        elif target.type == "attribute":
            name = field(target, "attribute")
            for identifier in file.source.identifiers(text_of(name)) if name is not None else ():
                parent = parent_of(identifier)
                if parent is not None and parent.type == "attribute" and text_of(parent) == text_of(target):
                    yield parent

    def _is_looked_up(self, file: ProgramFile, table: Node) -> bool:
        """Whether ``table[device.type]``, ``table.get(device)`` or ``device.type in table``."""
        return any(self._tracer.is_named(file, item) for item in self._asked(table))

    def _is_asked_by_type(self, _: ProgramFile, table: Node) -> bool:
        return any(text_of(item).endswith(".type") for item in self._asked(table))

    @staticmethod
    def _asked(table: Node) -> list[Node]:
        """What a table is looked up by at one of its uses."""
        parent = parent_of(table)
        if parent is None:
            return []
        if parent.type == "subscript" and is_field(table, "value"):
            return [child for child in parent.named_children if not same(child, table)]
        if parent.type == "comparison_operator" and same(parent.named_children[-1], table):
            return parent.named_children[:1]
        call = parent_of(parent)
        name = field(parent, "attribute") if parent.type == "attribute" else None
        is_getter = text_of(name) in _GETTERS
        return list(first_of(field(call, "arguments"))) if is_getter and call and call.type == "call" else []

    def _is_mapping_argument(self, file: ProgramFile, node: Node) -> bool:
        """Whether an expression is the keyword's value, or the second argument of one of the functions."""
        parent = parent_of(node)
        if parent is None:
            return False
        if parent.type == "keyword_argument":
            name = field(parent, "name")
            return name is not None and text_of(name) == self._subject.mapped_by
        call = parent_of(parent) if parent.type == "argument_list" else None
        function = field(call, "function")
        if function is None or text_of(function) not in self._subject.mapped_in:
            return False
        arguments = parts_of(parent)
        return len(arguments) > 1 and same(arguments[1], node)


def _is_filled(table: Node) -> bool:
    """Whether ``table[key] = value`` or ``table.setdefault(key, value)`` is what a use does."""
    entry = parent_of(table)
    call = call_of(entry)
    is_default = call is not None and last_name(call) == "setdefault"
    return entry is not None and (is_default or makes_entry(entry))


def makes_entry(entry: Node) -> bool:
    """Whether a statement assigns to ``table[key]``, or to an entry of it."""
    for _ in range(_MOST_TABLES):
        parent = parent_of(entry)
        if parent is None or parent.type != "subscript" or not is_field(entry, "value"):
            break
        entry = parent
    return is_assigned(entry)
