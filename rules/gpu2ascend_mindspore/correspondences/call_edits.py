"""The edits that make one expression of another; arguments that stay, and what separates them, are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import ancestors, text_of

from .rendering import Piece, Slot
from .values import Refused

_SEPARATOR = re.compile(r",(?:\s|\\\n|#[^\n]*\n)*")
_START = re.compile(r"(\((?:\s|#[^\n]*\n)+)(\w+\s*=\s*)?$")
"""The parenthesis, the lines behind it, and the keyword of the first argument."""
_END = re.compile(r",?(?:\s|#[^\n]*\n)*\)")


def edits_of(place: Node, pieces: Sequence[Piece]) -> list[Edit]:
    """The edits that write ``pieces`` in the place of an expression.
    Raises Refused: arguments would have to change places, or a comment would be lost."""
    data = place.text or b""
    edits: list[Edit] = []
    position = place.start_byte
    text = ""
    for piece in (*pieces, None):
        if isinstance(piece, str):
            text += piece
            continue
        end = piece.node.start_byte if piece is not None else place.end_byte
        if piece is not None and end < position and _may_change_places(piece.node):
            text += text_of(piece.node)
            continue
        if end < position:
            raise Refused("order")
        between = data[position - place.start_byte : end - place.start_byte].decode()
        edits += _gap(position, between, text)
        position = piece.node.end_byte if isinstance(piece, Slot) else end
        text = ""
    return edits


def _may_change_places(node: Node) -> bool:
    """Whether it makes no difference when an expression is evaluated, and nothing in it is converted."""
    if node.type == "attribute":
        return not _OF_LIBRARY.match(text_of(node))
    if node.type == "identifier":
        return not _is_imported(node)
    return node.type in _PLAIN and all(_may_change_places(one) for one in node.named_children)


def _is_imported(name: Node) -> bool:
    """Whether an import of the file names it: then it may be converted itself."""
    root = next((one for one in ancestors(name) if one.type == "module"), name)
    return re.search(rb"\bimport\b[^\n]*\b%s\b" % re.escape(name.text or b""), root.text or b"") is not None


_PLAIN = frozenset(
    {"integer", "float", "true", "false", "none", "unary_operator", "binary_operator", "tuple"}
    | {"parenthesized_expression", "string", "string_start", "string_content", "string_end"}
)
_OF_LIBRARY = re.compile(r"(?:torch|nn|F)\b|.*[()\[]")


def _gap(start: int, old: str, new: str) -> Iterator[Edit]:
    """The edits of what stands between two arguments: the separator stays as it is laid out."""
    kept_before = kept_behind = ""
    separator = _SEPARATOR.match(old)
    if separator is not None and new.startswith(", "):
        kept_before, new = separator[0], new[2:]
        old = old[len(kept_before) :]
    opening = _START.search(old)
    if opening is not None and new.endswith("("):
        if opening[2]:
            keyword = start + len((kept_before + old[: opening.start(2)]).encode())
            yield Edit(keyword, keyword + len(opening[2].encode()), "")
        kept_behind, new, old = opening[0], new[:-1], old[: opening.start()]
    ending = _END.search(old)
    if not kept_behind and ending is not None and ending.end() == len(old) and new.endswith(")"):
        kept_behind, new = ending[0], new[:-1]
        old = old[: -len(kept_behind)]
    if "#" in old:
        raise Refused("comment")
    if old != new:
        begin = start + len(kept_before.encode())
        yield Edit(begin, begin + len(old.encode()), new)
