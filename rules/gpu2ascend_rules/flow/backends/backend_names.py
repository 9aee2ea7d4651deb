"""Communication back ends: their names, and the names of what holds one or sets one up."""

from __future__ import annotations

from tree_sitter import Node

from ...text.syntax import ancestors, same, text_of
from ..words import words_of

BACKENDS = frozenset({"gloo", "mpi", "ucc", "ccl", "xccl", "hccl", "nccl", "tcp", "smddp"})
"""The back ends of torch.distributed and of its plugins."""
_BACKEND_WORDS = frozenset({"backend", "backends", "distbackend", "ddpbackend"})
_SETUP_WORDS = frozenset({"distributed", "dist", "ddp", "fsdp", "group", "collective", "comm"})


def is_backend_name(name: str) -> bool:
    """Whether a name of a variable, parameter, key or function speaks of a back end."""
    return not _BACKEND_WORDS.isdisjoint(words_of(name))


def is_setup_name(name: str) -> bool:
    """Whether a function of that name takes a back end to set process groups up."""
    return is_backend_name(name) or not _SETUP_WORDS.isdisjoint(words_of(name))


def has_hccl_branch(comparison: Node) -> bool:
    """Whether a comparison is a condition of a choice with another condition, which asks for hccl."""
    clause = next(
        (node for node in ancestors(comparison) if node.type in ("if_statement", "elif_clause")), None
    )
    head = clause.parent if clause is not None and clause.type == "elif_clause" else clause
    if clause is None or head is None:
        return False
    clauses = (head, *(child for child in head.children if child.type == "elif_clause"))
    conditions = (item.child_by_field_name("condition") for item in clauses if not same(item, clause))
    return any(condition is not None and "hccl" in text_of(condition).lower() for condition in conditions)
