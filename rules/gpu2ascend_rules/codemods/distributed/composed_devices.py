"""Devices composed of a name and a number: ``f"cuda:{gpu}"``, ``"cuda:%d" % gpu`` and the like."""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.syntax import arguments_of, call_of, field, last_name, text_of

_TEXT = re.compile(r"""^[fF]?(["'])(cuda|npu):(%d|%s|%i|\{0?\}|\{.+\}|)\1$""", re.DOTALL)


class ComposedDevice(NamedTuple):
    """One such device."""

    expression: Node
    """All of it."""
    number: Node
    kind: str
    """The device without a number, as a literal with the quotes of the script."""


def composed_device(string: Node) -> ComposedDevice | None:
    """The device that a string is a part of."""
    match = _TEXT.match(text_of(string))
    if match is None:
        return None
    found = _parts(string, match[3])
    return ComposedDevice(*found, f"{match[1]}{match[2]}{match[1]}") if found is not None else None


def _operands(operation: Node, place: str) -> tuple[Node, Node] | None:
    """``'cuda:%d' % n`` and ``'cuda:' + n``."""
    right, operator = field(operation, "right"), field(operation, "operator")
    wanted = "%" if place.startswith("%") else "+" if not place else None
    is_wanted = operator is not None and text_of(operator) == wanted
    return (operation, _number(right)) if right is not None and is_wanted else None


def _parts(string: Node, place: str) -> tuple[Node, Node] | None:
    """The whole expression and the number in it."""
    interpolations = [part for part in string.named_children if part.type == "interpolation"]
    if interpolations:
        return (string, interpolations[0].named_children[0]) if len(interpolations) == 1 else None
    parent = parent_of(string)
    if parent is None:
        return None
    if parent.type == "binary_operator" and field(parent, "left") == string:
        return _operands(parent, place)
    call = call_of(parent) if parent.type == "attribute" and place.startswith("{") else None
    arguments = arguments_of(call).items if call is not None and last_name(call) == "format" else []
    return (call, arguments[0].value) if call is not None and len(arguments) == 1 else None


def _number(node: Node) -> Node:
    """Without what only turns it into text: ``str(gpu)``, ``(gpu,)``."""
    if node.type == "call" and last_name(node) == "str" and arguments_of(node).items:
        return arguments_of(node).items[0].value
    if node.type in ("tuple", "parenthesized_expression") and len(node.named_children) == 1:
        return node.named_children[0]
    return node
