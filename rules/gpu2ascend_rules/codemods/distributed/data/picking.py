"""Which of several loaders that one expression or loop makes is the one for training."""

from __future__ import annotations

from tree_sitter import Node

from ....text.syntax import COMPREHENSION_TYPES, enclosing, enclosing_statement, field, text_of
from .roles import is_evaluation

_LISTS = ("list", "tuple", "set")


def one_of_several(call: Node) -> str | None:
    """The condition that picks the training loader of those that a comprehension makes; nothing to pick
    outside any, and None where it cannot be determined."""
    holder = enclosing(call, *COMPREHENSION_TYPES)
    if holder is None:
        return ""
    clauses = [child for child in holder.named_children if child.type == "for_in_clause"]
    left, right = field(clauses[0], "left"), field(clauses[0], "right")
    if len(clauses) > 1 or left is None or right is None:
        return None
    return _condition(left, right)


def _condition(target: Node, listed: Node) -> str | None:
    """The condition by which a variable that goes through a list of names has the one for training.

    In ``for name, data in (("train", a), ("test", b))`` it is the variable that goes through strings.
    """
    rows = listed.named_children if listed.type in _LISTS else []
    for index, counter in enumerate([target] if target.type == "identifier" else target.named_children):
        names = rows if counter == target else [_at(row, index) for row in rows]
        named = [name for name in names if name is not None and name.type == "string"]
        training = [name for name in named if not is_evaluation(text_of(name))]
        if len(training) == 1 and len(named) == len(rows):
            return f"{text_of(counter)} == {text_of(training[0])}" if len(names) > 1 else ""
    return None


def _at(row: Node, index: int) -> Node | None:
    """What a tuple that is written out has at a place."""
    parts = row.named_children if row.type in _LISTS else []
    return parts[index] if index < len(parts) else None


def one_of_a_loop(call: Node) -> str | None:
    """The condition that picks the training loader of those that a loop puts into a dictionary.

    Nothing to pick outside any, and None where it cannot be determined.
    """
    statement, loop = enclosing_statement(call), enclosing(call, "for_statement", "function_definition")
    assignment = statement.named_children[0] if statement.named_children else None
    left = field(assignment, "left") if assignment is not None and assignment.type == "assignment" else None
    key = field(left, "subscript") if left is not None and left.type == "subscript" else None
    if loop is None or loop.type != "for_statement" or key is None or key.type != "identifier":
        return ""
    counter, listed = field(loop, "left"), field(loop, "right")
    if counter is None or listed is None or text_of(counter) != text_of(key):
        return None
    return _condition(counter, listed)
