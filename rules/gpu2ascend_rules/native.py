"""Code that already supports the NPU: the CUDA branch of a choice that has an NPU branch beside it.

Decided per branch. An ``import torch_npu`` alone says nothing about the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from .finding import Finding
from .source import SourceFile
from .syntax import same

_NPU = re.compile(rb"(?<![a-z])npu(?![a-z])|\bNPU\b|_npu\b|\bnpu_|is_torch_npu_available", re.I)
_HINTS = (b"NPU", b"_npu", b"npu_", b".npu", b"'npu", b'"npu', b"hccl")
"""One of these stands wherever the NPU is spoken of; a plain search costs less than the expression."""
_LISTS = frozenset({"list", "tuple", "set"})
_CHOICES = frozenset({"if_statement", "conditional_expression"})
_LEAVES = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})


class NativeSupport:
    """Which places of a file stand in the CUDA branch of code that knows the NPU too."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._mentions_npu = any(hint in source.data for hint in _HINTS)
        self._answers: dict[int, bool] = {}

    def keep(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that do not stand in such a branch."""
        return [finding for finding in findings if not (self._mentions_npu and self._is_covered(finding))]

    def _is_covered(self, finding: Finding) -> bool:
        node = self._source.node_at(finding.start, finding.end)
        while node is not None and node.parent is not None:
            if self._has_npu_sibling(node, node.parent):
                return True
            node = node.parent
        return False

    def _has_npu_sibling(self, child: Node, parent: Node) -> bool:
        if parent.type in _CHOICES or parent.type == "elif_clause":
            return self._choice_knows_npu(parent)
        if parent.type in _LISTS:
            return any(self._is_npu_text(item) for item in parent.named_children)
        if parent.type == "dictionary":
            return any(
                (key := pair.child_by_field_name("key")) is not None and self._is_npu_text(key)
                for pair in parent.named_children
                if not same(pair, child)
            )
        if parent.type in ("block", "module"):
            return any(self._leaves_for_npu(item) for item in _before(child, parent))
        return False

    def _choice_knows_npu(self, choice: Node) -> bool:
        head = choice
        while head.parent is not None and head.parent.type in ("if_statement", "conditional_expression"):
            if head.type == "elif_clause" or head.type == head.parent.type == "conditional_expression":
                head = head.parent
            else:
                break
        if head.id not in self._answers:
            self._answers[head.id] = any(self._is_npu_test(test) for test in _tests(head))
        return self._answers[head.id]

    def _is_npu_test(self, node: Node) -> bool:
        return _NPU.search(self._source.data, node.start_byte, node.end_byte) is not None

    def _is_npu_text(self, node: Node) -> bool:
        text = self._source.text_of(node).strip("'\"")
        return text == "npu" or text.startswith("npu:") or text == "hccl"

    def _leaves_for_npu(self, statement: Node) -> bool:
        """``if is_npu(): return ...`` before the statement: what follows is for the other devices."""
        if statement.type != "if_statement":
            return False
        body = statement.child_by_field_name("consequence")
        test = statement.child_by_field_name("condition")
        if body is None or test is None or not body.named_children:
            return False
        return body.named_children[-1].type in _LEAVES and self._is_npu_test(test)


def _before(child: Node, parent: Node) -> Iterator[Node]:
    for item in parent.named_children:
        if same(item, child):
            return
        yield item


def _tests(choice: Node) -> Iterator[Node]:
    """The conditions of an if/elif chain or of nested conditional expressions."""
    if choice.type == "conditional_expression":
        parts = [part for part in choice.named_children if part.type != "comment"]
        if len(parts) == 3:
            yield parts[1]
            for arm in (parts[0], parts[2]):
                if arm.type == "conditional_expression":
                    yield from _tests(arm)
        return
    condition = choice.child_by_field_name("condition")
    if condition is not None:
        yield condition
    for clause in choice.children:
        if clause.type == "elif_clause":
            test = clause.child_by_field_name("condition")
            if test is not None:
                yield test
