"""The scalars of a YAML file with their keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.checkpoints import MAX_NESTING, checkpoint
from ..settings.nodes import text_of

_QUOTED = frozenset({"double_quote_scalar", "single_quote_scalar"})
_SCALARS = _QUOTED | {"plain_scalar", "block_scalar"}
_WRAPPERS = frozenset({"stream", "document", "block_node", "flow_node"})


class Value(NamedTuple):
    """A scalar; the span is that of its text, without quotes, anchors and tags."""

    start: int
    end: int
    keys: tuple[str, ...]
    text: str
    item: Node | None
    """The item of a list that it is."""


class Scalar(NamedTuple):
    """A scalar of any form, as a node of the tree."""

    node: Node
    keys: tuple[str, ...]
    item: Node | None
    """The item of a list that it is."""
    key: Node | None
    """The key whose value it is."""


def values_of(root: Node) -> Iterator[Value]:
    """Every scalar that is plain or between quotes, without a tag; in the order of the text."""
    for node, keys, item, _ in scalars_of(root):
        if node.type == "plain_scalar":
            yield Value(node.start_byte, node.end_byte, keys, text_of(node), item)
        elif node.type in _QUOTED:
            yield Value(node.start_byte + 1, node.end_byte - 1, keys, text_of(node)[1:-1], item)


def scalars_of(root: Node) -> Iterator[Scalar]:
    """Every scalar without a tag, in the order of the text, down to the limit of nesting."""
    yield from _scalars(root, (), 0, None, None)


def _scalars(
    node: Node, keys: tuple[str, ...], depth: int, item: Node | None, of_key: Node | None
) -> Iterator[Scalar]:
    checkpoint()
    if depth > MAX_NESTING:
        return
    if node.type in _WRAPPERS:
        if not any(child.type == "tag" for child in node.children):
            for child in node.named_children:
                yield from _scalars(child, keys, depth + 1, item, of_key)
        elif any(child.type in ("block_mapping", "flow_mapping") for child in node.named_children):
            return  # what a tag makes of a mapping is not known
    elif node.type in ("block_mapping", "flow_mapping"):
        for pair in node.named_children:
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                yield from _scalars(value, (*keys, key_of(key)), depth + 1, None, key)
    elif node.type in ("block_sequence", "flow_sequence"):
        for child in node.named_children:
            inner = child.named_children if child.type == "block_sequence_item" else [child]
            for value in inner:
                yield from _scalars(value, (*keys, "[]"), depth + 1, child, None)
    elif node.type in _SCALARS:
        yield Scalar(node, keys, item, of_key)


def key_of(node: Node) -> str:
    """The name that a key is, without quotes."""
    text = text_of(node)
    return text[1:-1] if text[:1] in "'\"" and len(text) > 1 else text
