"""The texts of a TOML file with their keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.checkpoints import MAX_NESTING, checkpoint
from ..settings import has_error, text_of


class Value(NamedTuple):
    """A text; the span is that of what is between its quotes."""

    start: int
    end: int
    keys: tuple[str, ...]
    text: str
    node: Node


def values_of(root: Node) -> Iterator[Value]:
    """Every text in its order, down to the limit of nesting; none of a part that could not be parsed."""
    for child in root.named_children:
        if child.type in ("table", "table_array_element"):
            keys = _keys(child.named_children[0]) if child.named_children else ()
            for pair in child.named_children[1:]:
                yield from _pair(pair, keys, 0)
        else:
            yield from _pair(child, (), 0)


def _pair(node: Node, keys: tuple[str, ...], depth: int) -> Iterator[Value]:
    parts = [child for child in node.named_children if child.type != "comment"]
    if node.type != "pair" or len(parts) != 2 or has_error(node):
        return
    yield from _value(parts[1], (*keys, *_keys(parts[0])), depth)


def _value(node: Node, keys: tuple[str, ...], depth: int) -> Iterator[Value]:
    checkpoint()
    if depth > MAX_NESTING:
        return
    if node.type == "string":
        raw = text_of(node)
        quotes = 3 if raw[:3] in ('"' * 3, "'" * 3) else 1
        text = raw[quotes:-quotes]
        if "\\" not in text:
            yield Value(node.start_byte + quotes, node.end_byte - quotes, keys, text, node)
    elif node.type == "array":
        for child in node.named_children:
            yield from _value(child, (*keys, "[]"), depth + 1)
    elif node.type == "inline_table":
        for child in node.named_children:
            yield from _pair(child, keys, depth + 1)


def _keys(node: Node) -> tuple[str, ...]:
    if node.type == "dotted_key":
        return tuple(key for child in node.named_children for key in _keys(child))
    text = text_of(node)
    return (text[1:-1] if node.type == "quoted_key" else text,)
