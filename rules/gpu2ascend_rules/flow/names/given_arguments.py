"""What a call gives a function: by position, by keyword, unpacked from a literal, or before by partial."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...text.syntax import arguments_of, call_of, field, last_name, parts_of, text_of
from ..templates import plain_text

_PARTIAL = "partial"


class GivenArguments(NamedTuple):
    """The arguments of a call."""

    function: Node
    """What is called in the end."""
    values: tuple[tuple[int | str, Node], ...]
    """By position or by name."""
    is_all: bool
    """Whether nothing else is given."""

    def get(self, name: str, position: int) -> Node | None:
        """What is given for a parameter."""
        return next((value for place, value in self.values if place in (name, position)), None)


def given_arguments(call: Node) -> GivenArguments:
    """What a call, of a function or of what ``partial`` made of one, gives; of ``partial`` also what the call
    of its result does."""
    function = field(call, "function") or call
    if last_name(call) == _PARTIAL:
        outer = call_of(call)
        return _of_partial(call, outer)
    if function.type == "call" and last_name(function) == _PARTIAL:
        return _of_partial(function, call)
    values, is_all = _values(call, 0)
    return GivenArguments(function, tuple(values), is_all)


def place_of_parameter(name: str, function: Node) -> int:
    """The position of a plain parameter; that of a method counts behind the object."""
    holder = field(function, "parameters")
    names = [_parameter_name(item) for item in holder.named_children] if holder is not None else []
    is_method = bool(names) and names[0] in ("self", "cls")
    return names.index(name) - is_method if name in names else -1


def _parameter_name(parameter: Node) -> str:
    """The name of a parameter, which may have a type or a default."""
    is_plain = parameter.type in ("typed_parameter", "default_parameter", "typed_default_parameter")
    return text_of(parameter.named_children[0] if is_plain else parameter)


def _of_partial(partial: Node, outer: Node | None) -> GivenArguments:
    given, is_all = _values(partial, -1)
    functions = [value for place, value in given if place == -1]
    values = [(place, value) for place, value in given if place != -1]
    taken = sum(isinstance(place, int) for place, _ in values)
    later, is_all_later = _values(outer, taken) if outer is not None else ([], False)
    function = functions[0] if functions else partial
    return GivenArguments(function, (*later, *values), is_all and is_all_later)


def _entries(dictionary: Node) -> Iterator[tuple[str, Node]]:
    """The values of a dictionary under keys that are plain."""
    for pair in parts_of(dictionary):
        key, value = plain_text(field(pair, "key")), field(pair, "value")
        if key and value is not None:
            yield key, value


def _values(call: Node, first: int) -> tuple[list[tuple[int | str, Node]], bool]:
    """The arguments of one call, positions from a first one on, and whether they are all."""
    found: list[tuple[int | str, Node]] = []
    holder, position, is_all = field(call, "arguments"), first, True
    named = {item.node.id: item for item in arguments_of(call).items}
    for node in parts_of(holder) if holder is not None else ():
        item = named.get(node.id)
        inner = node.named_children[0] if node.type.endswith("_splat") and node.named_children else None
        if inner is not None and node.type == "list_splat" and inner.type in ("tuple", "list"):
            items = parts_of(inner)
            found += [(position + index, value) for index, value in enumerate(items)]
            position += len(items)
        elif inner is not None and inner.type == "dictionary":
            found += _entries(inner)
        elif inner is not None or item is None:
            is_all = False
        elif item.keyword is not None:
            found.append((item.keyword, item.value))
        else:
            found.append((position, item.value))
            position += 1
    return found, is_all
