"""Where one more entry can be written behind one that a list, a table or a call has."""

from __future__ import annotations

from tree_sitter import Node

from ...limits.parents import parent_of

_HOLDERS = frozenset(
    {"list", "tuple", "set", "expression_list", "dictionary", "subscript", "argument_list", "union_pattern"}
)
"""What holds entries one after the other. A comprehension makes all of its entries of one expression."""


def takes_another(entry: Node) -> bool:
    """Whether one more entry can be inserted behind this node: it is an entry, and no part of one.

    The text of ``[f'cuda:{i}' for i in range(8)]`` is the expression of a comprehension, and that of
    ``['cuda:' + n]`` an operand: with a comma behind it neither means what it did, or is Python at all.
    """
    holder = parent_of(entry)
    if holder is not None and holder.type == "type":  # Literal['cuda'] in an annotation
        holder = parent_of(holder)
        return holder is not None and holder.type == "type_parameter"
    return holder is not None and holder.type in _HOLDERS
