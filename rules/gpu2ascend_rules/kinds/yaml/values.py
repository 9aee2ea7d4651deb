"""The scalars of a YAML file with their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.checkpoints import MAX_NESTING, checkpoint
from ..settings import Near, text_of

_QUOTED = frozenset({"double_quote_scalar", "single_quote_scalar"})
_SCALARS = _QUOTED | {"plain_scalar", "block_scalar", "tag"}
_WRAPPERS = frozenset({"stream", "document", "block_node", "flow_node"})
_MAPPINGS = frozenset({"block_mapping", "flow_mapping"})
_LISTS = frozenset({"block_sequence", "flow_sequence"})
_CALLED = re.compile(rb"!(?:new|apply|name):(?=\w)")
"""The tags by which HyperPyYAML has something called with the values of a mapping."""
TARGET = "_target_"
"""The key of Hydra for what is called, under which such a tag counts."""


class Value(NamedTuple):
    """A scalar; the span is that of its text, without quotes, anchors and tags."""

    start: int
    end: int
    keys: tuple[str, ...]
    text: str
    item: Node | None
    """The item of a list that it is."""


class Scalar(NamedTuple):
    """A scalar of any form, or the tag of a mapping, as a node of the tree."""

    node: Node
    keys: tuple[str, ...]
    item: Node | None
    """The item of a list that it is."""
    key: Node | None
    """The key whose value it is."""


def values_of(root: Node, wanted: Near | None = None) -> Iterator[Value]:
    """Every scalar that is plain or between quotes, without a tag, and what the tags of mappings have called;
    in the order of the text.

    Args:
        wanted: Leaves out what has nothing that is looked for, neither in it nor in a key above it.
    """
    for node, keys, item, _ in scalars_of(root, wanted):
        if node.type == "plain_scalar":
            yield Value(node.start_byte, node.end_byte, keys, text_of(node), item)
        elif node.type in _QUOTED:
            yield Value(node.start_byte + 1, node.end_byte - 1, keys, text_of(node)[1:-1], item)
        elif node.type == "tag":
            text = text_of(node).partition(":")[2]
            yield Value(node.end_byte - len(text.encode()), node.end_byte, keys, text, item)


class _Visit(NamedTuple):
    """A node that is to be looked at, with what is known of its place."""

    node: Node
    keys: tuple[str, ...]
    depth: int
    item: Node | None
    key: Node | None
    wanted: Near | None
    """Which parts of it; without one, all."""


def scalars_of(root: Node, wanted: Near | None = None) -> Iterator[Scalar]:
    """Every scalar without a tag, in the order of the text, down to the limit of nesting; see values_of."""
    waiting = [_Visit(root, (), 0, None, None, wanted)]
    while waiting:
        checkpoint()
        visit = waiting.pop()
        if visit.node.type in _SCALARS:
            yield Scalar(visit.node, visit.keys, visit.item, visit.key)
        elif visit.depth < MAX_NESTING:
            waiting += reversed([*_below(visit)])


def _of_pair(pair: Node, visit: _Visit) -> Iterator[_Visit]:
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    if key is not None and value is not None:
        wanted = visit.wanted
        is_all = wanted is None or wanted(key.start_byte, key.end_byte)
        keys = (*visit.keys, key_of(key))
        yield _Visit(value, keys, visit.depth + 1, None, key, None if is_all else wanted)


def _below(visit: _Visit) -> Iterator[_Visit]:
    """What a node holds that may have scalars."""
    node, keys, depth, wanted = visit.node, visit.keys, visit.depth + 1, visit.wanted
    if node.type in _WRAPPERS:
        yield from _within(visit)
        return
    children = node.named_children
    if wanted is not None:
        children = [child for child in children if wanted(child.start_byte, child.end_byte)]
    if node.type in _MAPPINGS:
        for pair in children:
            yield from _of_pair(pair, visit)
    elif node.type in _LISTS:
        for child in children:
            inner = child.named_children if child.type == "block_sequence_item" else [child]
            for value in inner:
                yield _Visit(value, (*keys, "[]"), depth, child, None, wanted)


def _within(visit: _Visit) -> Iterator[_Visit]:
    """What a node without meaning of its own holds. What a tag makes of a text is not known."""
    children, depth = visit.node.named_children, visit.depth + 1
    tag = next((child for child in children if child.type == "tag"), None)
    if tag is not None:
        children = [child for child in children if child.type in _MAPPINGS | _LISTS]
        if children and _CALLED.match(tag.text or b""):
            yield visit._replace(node=tag, keys=(*visit.keys, TARGET), depth=depth)
    for child in children:
        yield visit._replace(node=child, depth=depth)


def key_of(node: Node) -> str:
    """The name that a key is, without quotes."""
    text = text_of(node)
    return text[1:-1] if text[:1] in "'\"" and len(text) > 1 else text
