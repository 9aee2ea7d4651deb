"""Assignments that give variables what they have: ``data, target = data, target`` where nothing is placed."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import enclosing_statement, field, text_of

from ..evidence import Evidence
from ..lines import removed
from ..use import Use

_PLACING = ("to", "cuda", "cpu", "npu")


def without_same(evidence: Evidence, uses: Sequence[Use]) -> list[Use]:
    """The uses, so that assignments go whose value is what is assigned once nothing is placed any more."""
    changed = list(uses)
    for statement in _placing(evidence):
        inside = [
            index for index, use in enumerate(changed) if any(_is_in(one, statement) for one in use.edits)
        ]
        edits = [one for index in inside for one in changed[index].edits if _is_in(one, statement)]
        if not _is_same(evidence, statement, edits):
            continue
        line = _line_of(evidence, statement, changed)
        for index in inside:
            own = tuple(one for one in changed[index].edits if not _is_in(one, statement))
            changed[index] = changed[index]._replace(edits=own)
        first = changed[inside[0]]
        changed[inside[0]] = first._replace(edits=(*first.edits, line))
    return changed


def _is_same(evidence: Evidence, statement: Node, edits: Sequence[Edit]) -> bool:
    """Whether an assignment gives names what they have, after edits."""
    assignment = statement.named_children[0]
    left, right = field(assignment, "left"), field(assignment, "right")
    if left is None or right is None or not edits:
        return False
    return _after(evidence, right, edits) == text_of(left)


def _line_of(evidence: Evidence, statement: Node, uses: Sequence[Use]) -> Edit:
    """The edit that takes a statement out, without what others take of its indentation."""
    gone = removed(evidence.source.data, statement)
    others = (
        edit.end for use in uses for edit in use.edits if gone.start <= edit.start < statement.start_byte
    )
    start = max((end for end in others if end <= statement.start_byte), default=gone.start)
    return gone._replace(start=start)


def _placing(evidence: Evidence) -> list[Node]:
    """The assignments in which something is placed, outside what becomes a function."""
    found: dict[int, Node] = {}
    for name in _PLACING:
        for identifier in evidence.source.identifiers(name):
            statement = enclosing_statement(identifier)
            children = statement.named_children
            is_assignment = statement.type == "expression_statement" and children[0].type == "assignment"
            is_moved = any(start <= statement.start_byte < end for start, end in evidence.moved)
            if is_assignment and not is_moved:
                found[statement.id] = statement
    return list(found.values())


def _is_in(edit: Edit, statement: Node) -> bool:
    return statement.start_byte <= edit.start and edit.end <= statement.end_byte and edit.start < edit.end


def _after(evidence: Evidence, right: Node, edits: Sequence[Edit]) -> str:
    """The text of a value after edits."""
    data = evidence.source.data
    text, place = b"", right.start_byte
    for edit in sorted(edits):
        text += data[place : edit.start] + edit.text.encode()
        place = edit.end
    return (text + data[place : right.end_byte]).decode()
