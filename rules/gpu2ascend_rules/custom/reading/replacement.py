"""The text that a pattern's replacement becomes at a place, as edits that leave captured code untouched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...model.finding import Edit
from ...patterns.pattern import Form, Match, Variable, variable_of
from ...text.source_file import SourceFile
from ...text.syntax import text_of

_WHOLE = frozenset(
    {
        *("identifier", "attribute", "call", "subscript", "string", "parenthesized_expression", "list"),
        *("dictionary", "set", "tuple", "true", "false", "none", "ellipsis", "list_comprehension"),
        *("set_comprehension", "dictionary_comprehension", "generator_expression"),
    }
)
"""Expressions that need no parentheses anywhere."""

_ROOMY = frozenset({"argument_list", "parenthesized_expression", "list", "set"})
"""What an expression may stand in without parentheses, over several lines too."""
_ROOMY_STATEMENTS = frozenset({"expression_statement", "return_statement", "assignment", "module"})


class _Slot(NamedTuple):
    """What replaces a metavariable: text of the file, as it is there."""

    start: int
    end: int
    text: str


def replacement_edits(source: SourceFile, node: Node, match: Match, form: Form) -> tuple[Edit, ...] | None:
    """The edits that put a replacement in the place of a matched expression.

    ``None`` when a comment would be lost.
    """
    pieces = list(_pieces(source, match, form))
    if _needs_parentheses(node, form.node):
        pieces = ["(", *pieces, ")"]
    slots = [piece for piece in pieces if isinstance(piece, _Slot)]
    ends = [node.start_byte, *(slot.end for slot in slots)]
    in_order = all(end <= slot.start for end, slot in zip(ends, slots, strict=False))
    edits: list[Edit] = []
    at, text = node.start_byte, ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        elif in_order:
            edits.append(Edit(at, piece.start, text))
            at, text = piece.end, ""
        else:
            text += piece.text
    edits.append(Edit(at, node.end_byte, text))
    changes = tuple(edit for edit in edits if source.slice(edit.start, edit.end) != edit.text)
    return None if any(_has_comment(node, edit) for edit in changes) else changes


def _pieces(source: SourceFile, match: Match, form: Form) -> Iterator[str | _Slot]:
    """The replacement's own text, and what was captured, in turns."""
    start, end = form.node.start_byte, form.node.end_byte
    at = start
    for holder, variable in _variables(form.node):
        captured = match.nodes.get(variable.name, ())
        before, after = holder.start_byte, holder.end_byte
        if variable.is_rest and not captured:
            before, after = _with_comma(form.source, before, after)
        yield form.source.slice(at, before)
        at = after
        if captured:
            slot = _slot(source, captured)
            wraps = not variable.is_rest and _needs_parentheses(holder, captured[0])
            yield from ("(", slot, ")") if wraps else (slot,)
    yield form.source.slice(at, end)


def _variables(node: Node) -> Iterator[tuple[Node, Variable]]:
    """The metavariables of a replacement, in the order of the text."""
    end = node.start_byte
    for part in nodes_in(node):
        variable = variable_of(part) if part.start_byte >= end else None
        if variable is not None:
            end = part.end_byte
            yield part, variable


def _slot(source: SourceFile, captured: tuple[Node, ...]) -> _Slot:
    first, last = captured[0].start_byte, captured[-1].end_byte
    if any(_is_other(child, captured) for child in _between(captured)):
        return _Slot(-1, -1, ", ".join(text_of(node) for node in captured))
    return _Slot(first, last, source.slice(first, last))


def _between(captured: tuple[Node, ...]) -> Iterator[Node]:
    """What stands among arguments from the first to the last of those captured."""
    holder = parent_of(captured[0])
    if len(captured) > 1 and holder is not None:
        for child in holder.named_children:
            if captured[0].start_byte <= child.start_byte < captured[-1].end_byte:
                yield child


def _is_other(node: Node, captured: tuple[Node, ...]) -> bool:
    return node.type != "comment" and node not in captured


def _with_comma(source: SourceFile, start: int, end: int) -> tuple[int, int]:
    """The span of an argument that goes, with the comma that separates it."""
    data = source.data
    before = data[:start].rstrip()
    if before.endswith(b","):
        return len(before) - 1, end
    after = data[end:].lstrip()
    if after.startswith(b","):
        return start, len(data) - len(after[1:].lstrip())
    return start, end


def _needs_parentheses(place: Node, expression: Node) -> bool:
    """Whether an expression must be put in parentheses to be in a place."""
    parent = parent_of(place)
    if parent is None or parent.type in _ROOMY:
        return False
    if parent.type == "keyword_argument":
        return expression.type in ("named_expression", "yield")
    if expression.type in ("integer", "float"):
        return parent.type == "attribute"
    if parent.type in _ROOMY_STATEMENTS or (
        parent.type == "subscript" and parent.start_byte != place.start_byte
    ):
        return "\n" in text_of(expression) and expression.type not in _WHOLE
    return expression.type not in _WHOLE


def _has_comment(node: Node, edit: Edit) -> bool:
    """Whether what an edit replaces holds a comment."""
    return any(
        part.type == "comment" and edit.start <= part.start_byte and part.end_byte <= edit.end
        for part in nodes_in(node)
    )
