"""Classes whose methods run on the host: data sets, samplers, and what collates batches."""

from __future__ import annotations

from tree_sitter import Node

from ..text.names import NameTable
from ..text.syntax import enclosing, field, text_of
from .kinds import derives_from_module

_NAMED = ("Data", "Sampler", "Collat")
_ITEMS = frozenset({"__getitem__", "__len__"})


def is_host_class(owner: Node, names: NameTable) -> bool:
    """Whether a class gives a data loader its items, by its name, its bases or its methods."""
    if derives_from_module(owner, names):
        return False
    if any(word in text for text in (text_of(field(owner, "name")), *bases(owner)) for word in _NAMED):
        return True
    body = field(owner, "body")
    methods = {text_of(field(item, "name")) for item in body.named_children} if body is not None else set()
    return methods >= _ITEMS


def is_in_host_class(place: Node, names: NameTable) -> bool:
    """Whether code belongs to such a class."""
    owner = enclosing(place, "class_definition")
    return owner is not None and is_host_class(owner, names)


def bases(owner: Node) -> list[str]:
    """What a class derives from, as it is written."""
    holder = field(owner, "superclasses")
    return [text_of(base) for base in holder.named_children] if holder is not None else []
