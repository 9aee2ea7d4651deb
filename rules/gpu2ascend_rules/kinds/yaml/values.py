"""The scalars of a YAML file with their keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.checkpoints import MAX_NESTING, checkpoint
from ..settings.nodes import text_of

_QUOTED = frozenset({"double_quote_scalar", "single_quote_scalar"})
_WRAPPERS = frozenset({"stream", "document", "block_node", "flow_node"})


class Value(NamedTuple):
    """A scalar; the span is that of its text, without quotes, anchors and tags."""

    start: int
    end: int
    keys: tuple[str, ...]
    text: str
    item: Node | None
    """The item of a list that it is."""


def values_of(root: Node) -> Iterator[Value]:
    """Every scalar without a tag, in the order of the text, down to the limit of nesting."""
    yield from _values(root, (), 0, None)


def _values(node: Node, keys: tuple[str, ...], depth: int, item: Node | None) -> Iterator[Value]:
    checkpoint()
    if depth > MAX_NESTING:
        return
    if node.type in _WRAPPERS:
        if not any(child.type == "tag" for child in node.children):
            for child in node.named_children:
                yield from _values(child, keys, depth + 1, item)
        elif any(child.type in ("block_mapping", "flow_mapping") for child in node.named_children):
            return  # what a tag makes of a mapping is not known
    elif node.type in ("block_mapping", "flow_mapping"):
        for pair in node.named_children:
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                yield from _values(value, (*keys, _key(key)), depth + 1, None)
    elif node.type in ("block_sequence", "flow_sequence"):
        for child in node.named_children:
            inner = child.named_children if child.type == "block_sequence_item" else [child]
            for value in inner:
                yield from _values(value, (*keys, "[]"), depth + 1, child)
    elif node.type == "plain_scalar":
        yield Value(node.start_byte, node.end_byte, keys, text_of(node), item)
    elif node.type in _QUOTED:
        yield Value(node.start_byte + 1, node.end_byte - 1, keys, text_of(node)[1:-1], item)


def _key(node: Node) -> str:
    text = text_of(node)
    return text[1:-1] if text[:1] in "'\"" and len(text) > 1 else text
