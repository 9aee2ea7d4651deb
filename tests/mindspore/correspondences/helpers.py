"""A call as an entry of a table makes it."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_mindspore.correspondences.binding import Unbound, bind, is_literal_kind
from gpu2ascend_mindspore.correspondences.call_edits import edits_of
from gpu2ascend_mindspore.correspondences.entry import read_entry
from gpu2ascend_mindspore.correspondences.rendering import render
from gpu2ascend_rules.text.source_file import SourceFile


def written(call: str, parameters: str, target: str, dropped: str = "") -> str | Unbound:
    """The text that an entry makes of a call; why it makes none, if its parameters do not fit.

    The receiver of a method is the first argument where the entry's first parameter is ``self``.

    Raises:
        Refused: an argument has no counterpart.
    """
    row = {"api": "a.b", "parameters": parameters, "target": target, "dropped": dropped, "since": ""}
    entry = read_entry({**row, "verified": "yes"})
    node = _call(SourceFile(call, "sample.py").root)
    receiver = None
    if parameters.startswith("self"):
        function = node.child_by_field_name("function")
        assert function is not None
        receiver = function.child_by_field_name("object")
    assert entry.signature is not None
    bound = bind(entry.signature, node, receiver, is_literal_kind)
    if isinstance(bound, Unbound):
        return bound
    data = call.encode()
    edits = edits_of(node, render(entry, bound))
    for edit in sorted(edits, reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data.decode()


def _call(node: Node) -> Node:
    while node.type != "call":
        node = node.named_children[0]
    return node
