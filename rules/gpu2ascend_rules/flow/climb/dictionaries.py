"""Dictionaries: values under keys that name the subject, keys that are texts of it, and mappings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from tree_sitter import Node

from ...inference.walk.answers import MISSING
from ...limits.parents import parent_of, parent_type
from ...limits.walks import CLIMB_LIMITS
from ...text.syntax import field, first_of, is_field, last_name, parts_of, same, start_of, text_of
from .. import templates
from ..libraries import Origin, source_of_callee
from .options import HOLDS_VALUES, option_before
from .parts import Flow, Step, Value
from .subject import PlaceKind
from .verdicts import NEUTRAL, SHOWN, UNKNOWN, Role, Verdict, strongest

_GETTERS = frozenset({"get", "pop", "setdefault"})
_NO_KEY = "\0"
"""In the place of a key for uses that read no item."""


class Dictionaries:
    """The role of a text in a dictionary."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._subject = flow.subject
        self._uses_of_place: dict[tuple[str, int], tuple[Node, ...]] = {}
        self._uses_by_key: dict[tuple[str, int], dict[str | None, list[Node]]] = {}
        self._answers: dict[tuple[str, str, int], bool] = {}
        self._depth = 0

    def pair(self, value: Value, pair: Node) -> Step:
        """The role of a key or of a value of a dictionary."""
        dictionary = parent_of(pair)
        if dictionary is None:
            return UNKNOWN
        if value.boxed:
            return self._boxed(value, pair, dictionary)
        if dictionary.named_child_count > CLIMB_LIMITS.items:
            return SHOWN
        if dictionary.type == "dictionary" and self.is_mapping(dictionary):
            return Verdict(Role.MAPPING, dictionary, certain=False)
        if is_field(value.node, "key"):
            return self._key(dictionary)
        if dictionary.type != "dictionary":
            return UNKNOWN
        key = field(pair, "key")
        text = templates.plain_text(key) or ""
        if self._subject.entry_apart(text):
            return SHOWN
        if self._subject.option_values_apart and _is_value_of_option(dictionary):
            return UNKNOWN
        if self._holds_siblings_alone(dictionary):
            return Verdict(Role.CONSUMED, dictionary)
        subscript = parent_of(dictionary)
        if subscript is not None and subscript.type == "subscript" and is_field(dictionary, "value"):
            return value.moved(subscript)
        return self._entry(value, dictionary, text)

    def _boxed(self, value: Value, pair: Node, dictionary: Node) -> Verdict:
        """A list in a dictionary is what it is used as; without a use nothing speaks for it."""
        key = templates.plain_text(field(pair, "key")) or ""
        if is_field(value.node, "key") or dictionary.type != "dictionary":
            return UNKNOWN
        uses = self._uses(value, dictionary, key)
        return uses if uses.role in (Role.CONSUMED, Role.FOREIGN, Role.UNKNOWN) else UNKNOWN

    def keyword_entry(self, value: Value, call: Node, name: str) -> Verdict:
        """The role of ``value`` in ``dict(name=value)`` or ``d.update(name=value)``."""
        return self._entry(value, call, name)

    def item(self, value: Value, target: Node) -> Verdict:
        """The role of what ``d['key'] = value`` assigns."""
        way = _way_to(target)
        if way is None:
            return UNKNOWN if self._subject.proves(value.text) else self._subject.at(PlaceKind.ENTRY)
        return self._judged(value, way.keys[-1], self._uses_of_holder(value, way.outermost, *way.keys))

    # -- values ------------------------------------------------------------------------------------

    def _entry(self, value: Value, dictionary: Node, key: str) -> Verdict:
        return self._judged(value, key, self._uses(value, dictionary, key))

    def _judged(self, value: Value, key: str, uses: Verdict) -> Verdict:
        if uses.role in (Role.CONSUMED, Role.FOREIGN):
            return uses
        if self._flow.is_foreign_file:
            return SHOWN
        if self._subject.names(key):
            return self._subject.at(PlaceKind.NAMED_ENTRY)
        if self._subject.may_name(key) or self._subject.proves(value.text):
            return UNKNOWN
        entry = self._subject.at(PlaceKind.ENTRY)
        return uses if uses.role is Role.UNKNOWN and entry.role is not Role.SHOWN else entry

    def _holds_siblings_alone(self, dictionary: Node) -> bool:
        """Whether the values prove one another: back ends and nothing else."""
        if not self._subject.siblings:
            return False
        pairs = [item for item in dictionary.named_children if item.type == "pair"]
        values = [templates.plain_text(field(item, "value")) for item in pairs]
        return len(values) > 1 and all(value in self._subject.siblings for value in values)

    def _uses(self, value: Value, dictionary: Node, key: str) -> Verdict:
        """What a dictionary's value under a key is used as, by where the dictionary goes."""
        parent = parent_of(dictionary)
        if parent is None:
            return UNKNOWN
        outer, keys = _way_down(dictionary, key)
        if len(keys) > CLIMB_LIMITS.dictionaries:
            return UNKNOWN
        holder = parent_of(outer)
        if holder is not None and holder.type == "assignment" and is_field(outer, "right"):
            target = field(holder, "left")
            return self._uses_of_holder(value, target, *keys) if target is not None else UNKNOWN
        changed = _changed_by(outer)
        if changed is not None:
            return self._uses_of_holder(value, changed, *keys)
        return self._passed(value, dictionary, key)

    def _passed(self, value: Value, holder: Node, key: str) -> Verdict:
        """What a dictionary, or a name for it, is used as where it stands in a call."""
        parent = parent_of(holder)
        call = self._flow.ctx.source.enclosing(holder, "call") if parent is not None else None
        if parent is None or call is None:
            return NEUTRAL
        later = self._flow.calls.entry_later(value, call, holder, key)
        if later is not None:
            return later
        if parent.type == "dictionary_splat" and parent_of(parent) is not None:
            if parent_type(parent) != "argument_list":
                return NEUTRAL
            role = self._role_of(self._flow.calls.keyword(value, call, key))
            return role._replace(node=parent) if role == UNKNOWN else role
        if parent.type == "keyword_argument":
            name = field(parent, "name")
            if name is not None and self._subject.names(text_of(name)):
                return self._role_of(self._flow.calls.keyword(value, call, text_of(name)))
        elif parent.type != "argument_list":
            return NEUTRAL
        if not self._subject.of_torch:
            return NEUTRAL
        source = source_of_callee(call, self._flow.ctx)
        is_used = self._subject.names(key) and last_name(call) not in HOLDS_VALUES
        if source.origin is Origin.FOREIGN and is_used:
            return Verdict(Role.FOREIGN, call, library=source.library)
        if source.origin is Origin.TORCH and self._subject.names(key):
            return Verdict(Role.CONSUMED, call)
        return NEUTRAL

    def _role_of(self, step: Step) -> Verdict:
        return step if isinstance(step, Verdict) else self._flow.climber.climb(step)

    def _uses_of_holder(self, value: Value, holder: Node, *keys: str) -> Verdict:
        """What a name for a dictionary says of its item: ``d['key']``, ``d.get('key')``, ``f(**d)``."""
        place = ("item", *self._place_of(holder), keys, value.text, value.boxed, value.others)
        answers, names = self._flow.answers, self._flow.names
        known = answers.known(place, names)
        if known is not MISSING:
            return cast("Verdict", known)
        if self._depth >= CLIMB_LIMITS.dictionaries:
            answers.cut_off()
            return NEUTRAL
        uses = [use for use in self._uses_for(keys[0], holder) if not same(use, holder)]
        self._depth += 1
        found = answers.look_into(
            place, names, lambda: strongest(self._of_use(value, use, *keys) for use in uses)
        )
        self._depth -= 1
        return found

    def _of_use(self, value: Value, use: Node, key: str, *inner: str) -> Verdict:
        item = _item_read(use, key)
        if item is not None:
            return self._of_use(value, item, *inner) if inner else self._flow.climber.climb(value.moved(item))
        return self._passed(value, use, key) if not inner else NEUTRAL

    def _place_of(self, holder: Node) -> tuple[str, int]:
        """What a name for a dictionary is the name of: a variable of a scope, or attributes written alike."""
        if holder.type != "identifier":
            return text_of(holder), 0
        name = text_of(holder)
        bindings = self._flow.ctx.source.names.bindings_in_scope(name, holder)
        return name, (bindings[0].scope if bindings else self._flow.ctx.source.names.scope_of(holder)).id

    def _references(self, holder: Node) -> tuple[Node, ...]:
        """The expressions that are a dictionary, by a name for it."""
        place = self._place_of(holder)
        if place not in self._uses_of_place:
            self._uses_of_place[place] = tuple(self._found_references(holder))
        return self._uses_of_place[place]

    def _uses_for(self, key: str, holder: Node) -> list[Node]:
        """The references, in text order, that read an item which may have the key, or no item at all."""
        place = self._place_of(holder)
        if place not in self._uses_by_key:
            by_key: dict[str | None, list[Node]] = {}
            others = by_key.setdefault(_NO_KEY, [])
            for use in self._references(holder):
                read = _read_item(use)
                if read is not None:
                    by_key.setdefault(read.key, []).append(use)
                elif len(others) < CLIMB_LIMITS.uses:
                    others.append(use)
            self._uses_by_key[place] = by_key
        found = self._uses_by_key[place]
        return sorted((use for name in (key, None, _NO_KEY) for use in found.get(name, ())), key=start_of)

    def _any_reference(self, question: str, is_one: Callable[[Node], bool], holder: Node) -> bool:
        """Whether one of them is as asked, which no text of a dictionary changes."""
        key = (question, *self._place_of(holder))
        if key not in self._answers:
            self._answers[key] = any(map(is_one, self._references(holder)))
        return self._answers[key]

    def _found_references(self, holder: Node) -> Iterator[Node]:
        names = self._flow.ctx.source.names
        if holder.type == "identifier":
            name = text_of(holder)
            bindings = names.bindings_in_scope(name, holder)
            scope = bindings[0].scope if bindings else self._flow.ctx.source.names.scope_of(holder)
            if scope.type == "class_definition":
                yield from self._flow.variables.attributes(name)
            for identifier in self._flow.ctx.source.identifiers(name):
                visible = names.bindings_in_scope(name, identifier)
                if names.is_reference(identifier) and (not visible or visible[0].scope.id == scope.id):
                    yield identifier
        elif holder.type == "attribute":
            last = field(holder, "attribute")
            for identifier in self._flow.ctx.source.identifiers(text_of(last) if last is not None else ""):
                parent = parent_of(identifier)
                if parent is not None and parent.type == "attribute" and text_of(parent) == text_of(holder):
                    yield parent

    # -- keys --------------------------------------------------------------------------------------

    def _key(self, dictionary: Node) -> Verdict:
        """A key is of the subject where the table is looked up by it, or where the subject says so."""
        if self._subject.holder(dictionary, self._flow.ctx):
            return Verdict(Role.CONSUMED, dictionary)
        if self._is_looked_up(dictionary):
            return Verdict(Role.KEY, dictionary)
        keys = [
            templates.plain_text(field(item, "key"))
            for item in dictionary.named_children
            if item.type == "pair"
        ]
        role = self._subject.keys_tell(keys)
        return SHOWN if role is Role.SHOWN else Verdict(role, dictionary, certain=False)

    def _is_looked_up(self, dictionary: Node) -> bool:
        parent = parent_of(dictionary)
        if parent is None:
            return False
        if self._is_read_by_subject(dictionary):
            return True
        target = field(parent, "left") if parent.type == "assignment" else None
        return target is not None and self._any_reference("is looked up", self._is_read_by_subject, target)

    def _is_read_by_subject(self, table: Node) -> bool:
        """Whether ``table[device.type]``, ``table.get(device)`` or ``device.type in table``."""
        parent = parent_of(table)
        if parent is None:
            return False
        is_named = self._flow.comparisons.is_named
        if parent.type == "subscript" and is_field(table, "value"):
            return any(is_named(child) for child in parent.named_children if not same(child, table))
        if parent.type == "comparison_operator" and same(parent.named_children[-1], table):
            return is_named(parent.named_children[0])
        call = parent_of(parent)
        name = field(parent, "attribute") if parent.type == "attribute" else None
        if name is None or call is None or call.type != "call" or text_of(name) not in _GETTERS:
            return False
        arguments = field(call, "arguments")
        return any(is_named(child) for child in first_of(arguments))

    # -- mappings ----------------------------------------------------------------------------------

    def is_mapping(self, dictionary: Node) -> bool:
        """Whether a dictionary maps texts to one another, as the ``map_location`` of ``torch.load`` does."""
        if not self._subject.mapped_by:
            return False
        if self._is_mapping_argument(dictionary):
            return True
        parent = parent_of(dictionary)
        target = field(parent, "left") if parent is not None and parent.type == "assignment" else None
        if target is None:
            return False
        if text_of(target).rpartition(".")[2] == self._subject.mapped_by:
            return True
        return self._any_reference("is a mapping", self._is_mapping_argument, target)

    def _is_mapping_argument(self, node: Node) -> bool:
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


class _WayDown(NamedTuple):
    """The outermost dictionary around one, with the keys from there to an item: ``d['a']['key']``."""

    outermost: Node
    keys: tuple[str, ...]


def _way_down(dictionary: Node, key: str) -> _WayDown:
    keys = [key]
    while len(keys) <= CLIMB_LIMITS.dictionaries:
        pair = parent_of(dictionary)
        outer = parent_of(pair) if pair is not None and pair.type == "pair" else None
        if pair is None or outer is None or outer.type != "dictionary" or not is_field(dictionary, "value"):
            return _WayDown(dictionary, tuple(keys))
        keys.insert(0, templates.plain_text(field(pair, "key")) or "")
        dictionary = outer
    return _WayDown(dictionary, tuple(keys))


def _way_to(item: Node) -> _WayDown | None:
    """A name of a dictionary with the keys from there to an item: ``d['a']['key']``.

    What any other key stands before is taken for the name; None where the last key is no text.
    """
    keys: list[str] = []
    node = item
    while node.type == "subscript" and len(keys) < CLIMB_LIMITS.dictionaries:
        holder = field(node, "value")
        found = [child for child in node.named_children if not same(child, holder)]
        key = templates.plain_text(found[0]) if len(found) == 1 else None
        if holder is None or not key:
            break
        keys.insert(0, key)
        node = holder
    return _WayDown(node, tuple(keys)) if keys else None


def _changed_by(node: Node) -> Node | None:
    """What takes up the entries of a dictionary, or of a call: ``d.update({...})``, ``d.update(key=...)``."""
    holder = parent_of(node) if node.type == "dictionary" else None
    call = node if node.type == "call" else parent_of(holder) if holder is not None else None
    if call is None or call.type != "call" or last_name(call) != "update":
        return None
    function = field(call, "function")
    return field(function, "object")


def _item_read(use: Node, key: str) -> Node | None:
    """The expression that reads the item ``key`` of a dictionary, or any item, at one use of its name."""
    read = _read_item(use)
    return read.node if read is not None and read.key in (key, None) else None


class _ItemRead(NamedTuple):
    """An expression that reads an item of a dictionary."""

    node: Node
    key: str | None
    """None where it may be any."""


def _read_item(use: Node) -> _ItemRead | None:
    """The item that is read at one use of a dictionary's name."""
    parent = parent_of(use)
    if parent is None:
        return None
    if parent.type == "subscript" and is_field(use, "value"):
        keys = [child for child in parent.named_children if not same(child, use)]
        return _ItemRead(parent, templates.plain_text(keys[0])) if len(keys) == 1 else None
    call = parent_of(parent)
    name = field(parent, "attribute") if parent.type == "attribute" else None
    if name is None or call is None or call.type != "call" or text_of(name) not in _GETTERS:
        return None
    arguments = field(call, "arguments")
    first = first_of(arguments)
    return _ItemRead(call, templates.plain_text(first[0])) if first else None


def _is_value_of_option(dictionary: Node) -> bool:
    """Whether a call makes of it what a command line gives an option: ``['--config', json.dumps({...})]``."""
    arguments = parent_of(dictionary)
    call = parent_of(arguments) if arguments is not None and arguments.type == "argument_list" else None
    holder = parent_of(call) if call is not None else None
    if call is None or holder is None or holder.type not in ("list", "tuple"):
        return False
    return option_before(call) is not None
