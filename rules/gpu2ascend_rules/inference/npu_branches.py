"""Code that already supports the NPU: the CUDA branch of a choice that has an NPU branch beside it.

Decided per branch. An ``import torch_npu`` alone says nothing about the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from tree_sitter import Node

from ..model.finding import Finding
from ..text.source_file import SourceFile
from ..text.syntax import same, without_parentheses

_NPU = re.compile(rb"(?<![a-z])npu(?![a-z])|\bNPU\b|_npu\b|\bnpu_|is_torch_npu_available", re.I)
_HINTS = (b"NPU", b"_npu", b"npu_", b".npu", b"'npu", b'"npu', b"hccl")
"""One of these stands wherever the NPU is spoken of; a plain search costs less than the expression."""
_LISTS = frozenset({"list", "tuple", "set"})
_CLAUSES = frozenset({"elif_clause", "else_clause"})
_CHOICES = frozenset({"if_statement", "conditional_expression"})
_DIFFERS = frozenset({"!=", "<>", "not in", "is not"})
_LEAVES = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})


class NpuBranches:
    """Which places of a file stand in the CUDA branch of code that knows the NPU too."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._answers: dict[int, bool] = {}
        self._signs: dict[int, tuple[int, ...]] = {}

    def keep(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that do not stand in such a branch."""
        return [finding for finding in findings if not (self._mentions_npu and self._is_covered(finding))]

    @cached_property
    def _mentions_npu(self) -> bool:
        return any(hint in self._source.data for hint in _HINTS)

    def _is_covered(self, finding: Finding) -> bool:
        node = self._source.node_at(finding.start, finding.end)
        climbed: list[int] = []
        answer = False
        while node is not None and node.parent is not None:
            known = self._answers.get(node.id)
            if known is not None:
                answer = known
                break
            climbed.append(node.id)
            if self._has_npu_sibling(node, node.parent):
                answer = True
                break
            node = node.parent
        # What is covered covers all below it: each node is looked at once, however many findings it has.
        self._answers.update(dict.fromkeys(climbed, answer))
        return answer

    def _has_npu_sibling(self, child: Node, parent: Node) -> bool:
        if parent.type in _CHOICES:
            return any(self._is_npu_test(test) for test in _other_tests(parent, child))
        if parent.type == "boolean_operator":
            return _is_or(parent) and any(
                self._is_npu_test(item) for item in parent.named_children if not same(item, child)
            )
        if parent.type in _LISTS:
            return bool(self._among(parent, self._is_npu_text))
        if parent.type == "dictionary":
            return any(start != child.start_byte for start in self._among(parent, self._is_npu_pair)[:2])
        if parent.type in ("block", "module"):
            return any(start < child.start_byte for start in self._among(parent, self._leaves_for_npu)[:1])
        return False

    def _among(self, parent: Node, is_sign: Callable[[Node], bool]) -> tuple[int, ...]:
        """Where the children begin that speak of the NPU; each parent is looked through once."""
        if parent.id not in self._signs:
            found = (item.start_byte for item in parent.named_children if is_sign(item))
            self._signs[parent.id] = tuple(found)
        return self._signs[parent.id]

    def _is_npu_pair(self, pair: Node) -> bool:
        key = pair.child_by_field_name("key")
        return key is not None and self._is_npu_text(key)

    def _is_npu_test(self, node: Node) -> bool:
        """Whether a condition holds on the NPU: ``not npu.is_available()`` speaks of it, and does not."""
        mentions = _NPU.finditer(self._source.data, node.start_byte, node.end_byte)
        return any(not self._is_negated(mention.start(), mention.end(), node) for mention in mentions)

    def _is_negated(self, start: int, end: int, condition: Node) -> bool:
        """Whether what a condition says of the NPU is said under an odd number of negations."""
        negated = False
        node = self._source.node_at(start, end)
        while node is not None:
            negated ^= node.type == "not_operator" or _is_denial(node)
            if same(node, condition):
                break
            node = node.parent
        return negated

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
        # ``if is_npu() and half:`` leaves the NPU's other cases to what follows.
        return body.named_children[-1].type in _LEAVES and not _is_and(test) and self._is_npu_test(test)


def _is_denial(comparison: Node) -> bool:
    """``x != 'npu'``, and ``torch_npu is None``."""
    if comparison.type != "comparison_operator":
        return False
    signs = [child.type for child in comparison.children]
    return "is" in signs if "none" in signs else not _DIFFERS.isdisjoint(signs)


def _is_or(operator: Node) -> bool:
    return _has_sign(operator, "or")


def _is_and(condition: Node) -> bool:
    return _has_sign(without_parentheses(condition), "and")


def _has_sign(operator: Node, word: str) -> bool:
    sign = operator.child_by_field_name("operator")
    return sign is not None and sign.type == word


def _other_tests(choice: Node, child: Node) -> Iterator[Node]:
    """The conditions of a choice but for the one that guards ``child``, or that holds it.

    ``child`` is a direct child of an if statement, of one of its clauses, or of a conditional
    expression. What is said in its own condition does not make it code for another device.
    """
    own = choice if choice.type != "if_statement" or child.type not in _CLAUSES else child
    if choice.type == "conditional_expression":
        yield from _tests_of_expression(choice, child)
        return
    head = choice if choice.type == "if_statement" else choice.parent
    if head is None:
        return
    for clause in (head, *(item for item in head.children if item.type == "elif_clause")):
        condition = clause.child_by_field_name("condition")
        if condition is not None and not same(clause, own):
            yield condition


def _tests_of_expression(choice: Node, child: Node) -> Iterator[Node]:
    """The conditions beside one arm of ``a if test else b``, those of nested choices included."""
    parts = [part for part in choice.named_children if part.type != "comment"]
    if len(parts) != 3 or same(parts[1], child):
        return
    yielded = parts[1:] if same(parts[0], child) else parts[:2]
    for part in yielded:
        if part.type == "conditional_expression":
            inner = [item for item in part.named_children if item.type != "comment"]
            if len(inner) == 3:
                yield inner[1]
                yield from _tests_of_expression(part, inner[0])
        elif same(part, parts[1]) and same(parts[2], child):
            yield part
