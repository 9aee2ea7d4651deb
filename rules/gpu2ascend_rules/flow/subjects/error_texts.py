"""Messages of errors that a program searches for: ``'CUDA out of memory' in str(error)``."""

from __future__ import annotations

from tree_sitter import Node

from ...engine.context import Context
from ...limits.parents import parent_type
from ..subject import Sink, Subject
from ..verdicts import Role, Verdict
from ..word_flow import flow_of

_SEARCHES = ("startswith", "find", "index", "count")


def _is_out_of_memory(text: str) -> bool:
    return "CUDA" in text and "out of memory" in text


def _is_searched_text(node: Node, ctx: Context) -> bool:
    """Whether an expression is what ``in`` searches: whatever it is, it is no list of keys."""
    return parent_type(node) == "comparison_operator"


OUT_OF_MEMORY = Subject(
    name="out of memory",
    is_text=_is_out_of_memory,
    methods=dict.fromkeys(_SEARCHES, Sink(0)),
    holder=_is_searched_text,
    sample="CUDA out of memory",
    of_torch=False,
)


def search_for_text(string: Node, ctx: Context) -> Verdict | None:
    """The search that a message comes to by variables, lists and loops, or None where it comes to none."""
    verdict = flow_of(OUT_OF_MEMORY, ctx).role_of_string(string)
    return verdict if verdict.role is Role.CONSUMED else None
