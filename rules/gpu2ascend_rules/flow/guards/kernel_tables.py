"""Tables of implementations, one of which needs CUDA: ``OPS = {'cuda': k_cuda, 'cpu': k_cpu}``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.parents import parent_of, parent_type
from ...limits.walks import FORWARD_LIMITS
from ...text.syntax import arguments_of, field, is_field, last_name, parts_of, passed_to, same, text_of
from ...text.uses import uses_of_variable
from ..subjects.devices import device_flow, role_of_keys
from ..templates import plain_text
from ..verdicts import Role
from .code_searches import Span
from .needing.given import OWN, uses_of_name
from .needing.needs import needs_of
from .needing.registries import Registered, looks_up

if TYPE_CHECKING:
    from ...engine.context import Context

_DISPLAYS = frozenset({"list", "tuple"})


def needs_cuda(pair: Node, ctx: Context) -> bool:
    """Whether an entry of a dictionary is for CUDA, and stands for what needs it."""
    value = field(pair, "value")
    is_for_cuda = (key_of(pair) or "").startswith("cuda")
    return is_for_cuda and value is not None and needs_of(ctx).is_in(Span.of(value))


def key_of(entry: Node) -> str | None:
    """The text that is the key of an entry: of a dictionary, or of a call of ``dict``."""
    name = field(entry, "name")
    return text_of(name) if name is not None else plain_text(field(entry, "key"))


def is_entry_for_cuda(use: Node, ctx: Context, answer: Callable[[Node], bool | None]) -> bool:
    """Whether a name is what a table has for CUDA: by the key, or by tests that are not true on the NPU."""
    holder = parent_of(use)
    if holder is None or holder.type not in ("pair", *_DISPLAYS):
        return False
    if holder.type == "pair" and needs_cuda(holder, ctx):
        return True
    table = parent_of(holder) if holder.type == "pair" else holder
    place = field(holder, "key") if holder.type == "pair" else None
    is_of_true = text_of(place) == "True" if place is not None else same(parts_of(holder)[-1], use)
    if table is None or not is_of_true:
        return False
    indexes = [field(lookup, "subscript") for lookup in _lookups(table, ctx)]
    return bool(indexes) and all(index is not None and answer(index) is False for index in indexes)


def has_key(key: str, table: Node) -> bool:
    """Whether a dictionary has an entry with a text as its key."""
    return any(key_of(entry) == key for entry in entries_of(table))


def keys_asked(table: Node, ctx: Context) -> Iterator[Node]:
    """What a table is looked up by, in place or by the variable that it is bound to."""
    for lookup in _lookups(table, ctx):
        given = arguments_of(lookup).at(0) if lookup.type == "call" else None
        key = given.value if given is not None else field(lookup, "subscript")
        if key is not None:
            yield key


def role_of_made_table(call: Node, ctx: Context) -> tuple[Role, bool]:
    """What a key of ``dict(cuda=1, cpu=2)`` is, and whether a device is looked up there for certain."""
    if text_of(field(call, "function") or call) != "dict":
        return Role.SHOWN, True
    flow = device_flow(ctx)
    role = role_of_keys([key_of(entry) for entry in entries_of(call)])
    return role, any(flow.is_named(key) for key in keys_asked(call, ctx))


def entry_that_works(table: Node, ctx: Context) -> Node | None:
    """The value of a dictionary for the CPU, where that needs no CUDA."""
    for entry in entries_of(table):
        value = field(entry, "value")
        if value is not None and key_of(entry) == "cpu":
            return None if needs_of(ctx).is_in(Span.of(value)) else value
    return None


def has_default(table: Node, ctx: Context) -> bool:
    """Whether every look-up in a table gives what it takes where the table has nothing."""
    found = list(_lookups(table, ctx))
    return bool(found) and all(
        lookup.type == "call" and arguments_of(lookup).at(1) is not None for lookup in found
    )


def chooses_kernel(index: Node, ctx: Context) -> bool:
    """Whether a test that is the index of a table chooses what needs CUDA where it is true."""
    holder = parent_of(index)
    table = _display(field(holder, "value"), ctx) if is_field(index, "subscript") else None
    if table is None:
        return False
    chosen: Node | None = None
    if table.type == "dictionary":
        pairs = [pair for pair in table.named_children if text_of(field(pair, "key") or pair) == "True"]
        chosen = field(pairs[0], "value") if pairs else None
    elif table.type in _DISPLAYS and len(parts_of(table)) == 2:
        chosen = parts_of(table)[1]
    return chosen is not None and needs_of(ctx).is_in(Span.of(chosen))


def is_key_of_kernel(key: Node, ctx: Context) -> bool:
    """Whether a text chooses what needs CUDA from a table, in place or by a variable."""
    if key.type != "string" or not (plain_text(key) or "").startswith("cuda"):
        return False
    choice = parent_of(key)
    whole = choice if choice is not None and choice.type == "conditional_expression" else key
    statement = parent_of(whole)
    target = field(statement, "left") if statement is not None and statement.type == "assignment" else None
    places = [whole]
    if target is not None and target.type == "identifier":
        places = [
            use
            for _, use in zip(range(FORWARD_LIMITS.uses), uses_of_variable(target, ctx.source), strict=False)
        ]
    return any(_looks_up_kernel(place, plain_text(key) or "", ctx) for place in places)


def _looks_up_kernel(index: Node, key: str, ctx: Context) -> bool:
    registry, known = looks_up(index), ctx.project.cuda.registered_needs({key}, ctx.options)
    if registry and not known.isdisjoint((Registered(registry, key), Registered("", key))):
        return True
    owner = field(parent_of(index), "value") if is_field(index, "subscript") else None
    passed = passed_to(index) if owner is None else None
    if passed is not None and last_name(passed.call) == "get":
        owner = field(field(passed.call, "function"), "object")
    table = _display(owner, ctx)
    if table is None or table.type != "dictionary":
        return False
    return any(needs_cuda(entry, ctx) and key_of(entry) == key for entry in entries_of(table))


def entries_of(table: Node) -> Iterator[Node]:
    """The entries of a dictionary, or of a call of ``dict``."""
    given = field(table, "arguments") if table.type == "call" else None
    holder = given if given is not None else table
    return (item for item in holder.named_children if item.type in ("pair", "keyword_argument"))


def _display(owner: Node | None, ctx: Context) -> Node | None:
    """The display that an expression is, or that the only binding of a variable gives it."""
    if owner is not None and owner.type == "attribute":
        return _of_class(owner, ctx)
    if owner is None or owner.type != "identifier":
        return owner
    bindings = ctx.source.names.bindings_in_scope(text_of(owner), owner)
    return bindings[0].value if len(bindings) == 1 else None


def _of_class(attribute: Node, ctx: Context) -> Node | None:
    """The display that the class around gives an attribute of its own: ``self.TABLE``."""
    owner, name = ctx.source.enclosing(attribute, "class_definition"), field(attribute, "attribute")
    if owner is None or name is None or text_of(field(attribute, "object") or attribute) not in OWN:
        return attribute
    values = []
    for word in ctx.source.identifiers_in(text_of(name), owner):
        target = word if parent_type(word) == "assignment" else parent_of(word)
        if target is not None and parent_type(target) == "assignment" and is_field(target, "left"):
            values.append(field(parent_of(target), "right"))
    return values[0] if len(values) == 1 else attribute


def _lookups(table: Node, ctx: Context) -> Iterator[Node]:
    """The look-ups in a table, in place or by the variable that it is bound to."""
    statement = parent_of(table)
    target = field(statement, "left") if statement is not None and statement.type == "assignment" else None
    owners = uses_of_name(target, ctx.source) if target is not None else [table]
    for owner in owners:
        holder = parent_of(owner)
        if holder is not None and holder.type == "subscript" and is_field(owner, "value"):
            yield holder
        elif holder is not None and holder.type == "attribute":
            call = parent_of(holder)
            if call is not None and call.type == "call" and last_name(call) == "get":
                yield call
