"""The branches for CUDA of a program that serves the NPU: what a test of an option's word decides over.

The word stays, as the authors have a way of their own to start the program on the NPU; so the branch is never
taken there, and what it says is right for CUDA.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..limits.parents import parent_of
from ..model.finding import Finding
from ..text.syntax import enclosing, field, is_field, last_name, parts_of, passed_to, same

_WORDS = (b"cuda", b"nccl", b"NCCL")
_EQUAL = frozenset({"==", "in", "is"})
_BEGINS = frozenset({"startswith", "__eq__"})
Span = tuple[int, int]


class ServedBranches:
    """Which places of a file are in such a branch."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def keep(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that do not."""
        spans = sorted(self._spans()) if self._ctx.serves_npu else []
        return [finding for finding in findings if not _is_in(finding.start, spans)]

    def _spans(self) -> Iterator[Span]:
        source = self._ctx.source
        for word in _WORDS:
            for offset in source.find_all(word):
                node = source.node_at(offset, offset + len(word))
                literal = enclosing(node, "string") if node is not None else None
                decision = self._ctx.decision(literal) if literal is not None else None
                if literal is not None and decision is not None and decision.is_served:
                    branch = _branch_for(literal)
                    if branch is not None:
                        yield branch.start_byte, branch.end_byte


def _is_in(place: int, spans: list[Span]) -> bool:
    """Whether a place is in one of some spans, which are sorted and may nest."""
    last = bisect_right(spans, (place, sys.maxsize))
    return any(start <= place < end for start, end in spans[:last])


def _branch_for(literal: Node) -> Node | None:
    """What runs where a test of a word holds."""
    test = _test_of(literal)
    node, parent = test, parent_of(test)
    while node is not None and parent is not None:
        if parent.type == "boolean_operator":
            if _joins(parent) != "and":
                return None
        elif parent.type == "conditional_expression":
            parts = parts_of(parent)
            return parts[0] if len(parts) == 3 and same(parts[1], node) else None
        elif is_field(node, "condition"):
            return field(parent, "consequence")
        elif parent.type != "parenthesized_expression":
            return None
        node, parent = parent, parent_of(parent)
    return None


def _test_of(literal: Node) -> Node | None:
    """The comparison that holds for the word, or the call that asks whether a text begins with it."""
    passed = passed_to(literal)
    if passed is not None:
        return passed.call if last_name(passed.call) in _BEGINS else None
    holder = parent_of(literal)
    if holder is not None and holder.type in ("tuple", "list", "set"):
        holder = parent_of(holder)
    if holder is None or holder.type != "comparison_operator":
        return None
    signs = {child.type for child in holder.children if not child.is_named}
    return holder if signs & _EQUAL and not signs - _EQUAL else None


def _joins(operator: Node) -> str:
    sign = field(operator, "operator")
    return sign.type if sign is not None else ""
