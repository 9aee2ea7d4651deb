"""Implementations that a project registers under names: ``@OPS.register('nms_cuda')``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.source_file import SourceFile
from ....text.syntax import (
    arguments_of,
    chain_of,
    enclosing,
    field,
    is_field,
    last_name,
    outermost,
    parts_of,
    text_of,
)
from ...templates import plain_text
from ...words import is_device_text
from .given import decorations_of, gift_of

_REGISTERS = "regist"


class Registered(NamedTuple):
    """A name under which an implementation is found."""

    registry: str
    """What it is registered with, by the last part of its name; empty where a function does it."""
    key: str


def registered_as(definition: Node) -> Iterator[Registered]:
    """The names that the decorators of a function or class give it."""
    for gift in decorations_of(definition):
        if _REGISTERS in text_of(gift.to).lower():
            call = parent_of(gift.to) if gift.is_of_result else None
            keys = _keys(call) if call is not None else ()
            name = text_of(field(definition, "name") or definition)
            yield from (Registered(_owner(gift.to), key) for key in keys or (name,))


def registered(
    places: Iterable[int], definitions: Iterable[Node], source: SourceFile
) -> Iterator[Registered]:
    """The names under which a file registers what stands at some places, and some definitions."""
    for definition in definitions:
        yield from registered_as(definition)
    for place in places:
        node = source.node_at(place, place + 1)
        if node is not None and node.type == "identifier":
            yield from _given_to_registry(node)
            yield from _entered(node)


def _given_to_registry(name: Node) -> Iterator[Registered]:
    """``OPS.register('nms', name)``."""
    gift = gift_of(name)
    call = parent_of(gift.to) if gift is not None else None
    if gift is not None and call is not None and _REGISTERS in (last_name(call) or "").lower():
        yield from (Registered(_owner(gift.to), key) for key in _keys(call))


def _entered(name: Node) -> Iterator[Registered]:
    """``OPS['nms'] = name``."""
    entry = field(parent_of(name), "left") if is_field(name, "right") else None
    key = plain_text(field(entry, "subscript")) if entry is not None and entry.type == "subscript" else None
    if entry is not None and key:
        yield Registered(_last_part(field(entry, "value") or entry), key)


def looks_up(index: Node) -> str:
    """What an expression is looked up in, by the last part of its name: ``OPS[it]``, ``OPS.get(it)``."""
    holder = parent_of(index)
    if holder is not None and is_field(index, "subscript"):
        return _last_part(field(holder, "value") or holder)
    call = parent_of(holder) if holder is not None and holder.type == "argument_list" else None
    function = field(call, "function")
    return _owner(function) if function is not None and function.type == "attribute" else ""


def naming(key: str, source: SourceFile) -> Iterator[Node]:
    """Where a file names what is registered under a key, but for where it registers it."""
    for offset in source.find_all(key.encode()):
        node = source.node_at(offset, offset + 1)
        string = parent_of(node) if node is not None and node.type == "string_content" else None
        if string is None or plain_text(string) != key:
            continue
        call = enclosing(string, "call")
        is_entry = call is not None and _REGISTERS in (last_name(call) or "").lower()
        whole = outermost(string, "conditional_expression", "parenthesized_expression")
        if not is_entry and (not is_device_text(key) or looks_up(whole)):
            yield string


def _keys(call: Node) -> tuple[str, ...]:
    given = (item.value for item in arguments_of(call).items if item.keyword in (None, "name", "key"))
    texts = (item for value in given for item in ([value] if value.type == "string" else _items(value)))
    return tuple(text for text in map(plain_text, texts) if text)


def _items(value: Node) -> list[Node]:
    is_display = value.type in ("list", "tuple")
    return [item for item in parts_of(value) if item.type == "string"] if is_display else []


def _owner(function: Node) -> str:
    """The registry of ``OPS.register``."""
    owner = field(function, "object") if function.type == "attribute" else None
    return _last_part(owner) if owner is not None else ""


def _last_part(expression: Node) -> str:
    chain = chain_of(expression)
    if chain is None:
        return ""
    return chain.attributes[-1] if chain.attributes else text_of(chain.root)
