"""Numbers that count the letters of a word: ``d.startswith('cuda:') and d[5:]``, ``d[:4] == 'cuda'``.

Where a test gets a shorter word, the numbers at which the tested text is cut change with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..flow.templates import plain_text
from ..limits.below import nodes_in
from ..limits.parents import parent_of
from ..model.finding import Edit
from ..text.syntax import ancestors, field, is_field, same, text_of

_OWNERS = ("function_definition", "lambda", "module")
_DENIES = frozenset({"not", "!=", "not in"})


def recounted(literal: Node, old: str, new: str) -> list[Edit]:
    """The edits of what counts the letters of a word in the test of a text, after which it has another word.

    Args:
        literal: What a text is compared with, or has to begin with.
        old: The word at its begin.
        new: What takes its place.
    """
    text = plain_text(literal) or ""
    asked = _asked(literal) if text.startswith(old) else None
    if asked is None:
        return []
    value = field(asked, "value") if asked.type == "subscript" else asked
    ends = [asked] if asked.type == "subscript" else []
    begins = [cut for part in _reach(literal) for cut in nodes_in(part, "comment") if _is_cut(cut, value)]
    counted = [*_numbers(ends, {len(text)}, is_begin=False)]
    counted += _numbers(
        begins, {len(old), len(old) + 1, len(text)}, is_begin=True
    )  # with a separator behind it
    shift = len(new) - len(old)
    return [Edit(item.start_byte, item.end_byte, str(int(text_of(item)) + shift)) for item in counted]


def _is_cut(node: Node, value: Node | None) -> bool:
    return node.type == "subscript" and text_of(field(node, "value")) == text_of(value)


def _asked(literal: Node) -> Node | None:
    """What is compared with a text, or asked whether it begins with it."""
    function = field(parent_of(parent_of(literal)), "function")
    if text_of(field(function, "attribute")) == "startswith":
        return field(function, "object")
    comparison = parent_of(literal)
    if comparison is None or comparison.type != "comparison_operator":
        return None
    others = [item for item in comparison.named_children if not same(item, literal)]
    return others[0] if len(others) == 1 and others[0].type == "subscript" else None


def _numbers(cuts: list[Node], counts: set[int], *, is_begin: bool) -> Iterator[Node]:
    """The numbers of some size at which what is taken of a text begins, or ends."""
    for cut in cuts:
        key = field(cut, "subscript")
        parts = key.children if key is not None and key.type == "slice" else [key]
        colon = next(
            (at for at, part in enumerate(parts) if part is not None and part.type == ":"), len(parts)
        )
        for part in parts[:colon] if is_begin else parts[colon:]:
            if part is not None and part.type == "integer" and text_of(part) in map(str, counts):
                yield part


def _reach(literal: Node) -> list[Node]:
    """The code for which a test has decided that a text begins with the word."""
    is_denied = False
    for node in ancestors(literal):
        is_denied = is_denied or any(child.type in _DENIES for child in node.children)
        if node.type in _OWNERS:
            return [node]
        if not is_denied and is_field(node, "condition"):
            arm = field(parent_of(node), "consequence")
            return [node, *([arm] if arm is not None else [])]
        if not is_denied and node.type == "conditional_expression":
            return [node]
    return []
