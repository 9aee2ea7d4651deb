"""Where a program declares an option of its command line."""

from __future__ import annotations

from tree_sitter import Node

from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, last_name
from ..templates import plain_text

_DECLARES = frozenset({"add_argument", "add_arg", "option", "Option"})


def declaration_of(option: str, source: SourceFile) -> Node | None:
    """The call by which a file declares an option: of argparse, click or typer."""
    for offset in source.find_all(option.encode()):
        node = source.node_at(offset, offset + len(option))
        while node is not None and node.type != "string":
            node = node.parent
        if node is None or plain_text(node) != option or node.parent is None:
            continue
        call = node.parent.parent
        if node.parent.type == "argument_list" and call is not None and last_name(call) in _DECLARES:
            first = arguments_of(call).items
            if any(item.position is not None and item.value == node for item in first):
                return call
    return None
