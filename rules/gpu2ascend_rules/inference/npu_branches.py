"""Code that already supports the NPU: the CUDA branch of a choice that has an NPU branch beside it.

Decided per branch. An ``import torch_npu`` alone says nothing about the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from operator import attrgetter

from tree_sitter import Node

from ..limits.parents import parent_of
from ..model.finding import Finding
from ..text.source_file import SourceFile
from ..text.syntax import field, leaves_block, parts_of, same, text_of, without_parentheses
from ..text.uses import assignment_in

_NPU = re.compile(rb"(?<![a-z])npu(?![a-z])|\bNPU\b|_npu\b|\bnpu_|is_torch_npu_available|hccl", re.I)
_HINTS = (b"NPU", b"_npu", b"npu_", b".npu", b"'npu", b'"npu', b" npu", b"Npu", b"hccl", b"HCCL")
"""One of these stands wherever the NPU is spoken of; a plain search costs less than the expression."""
_NPU_WORDS = {"cuda": "npu", "gpu": "npu", "nccl": "hccl"}
_DEVICE_WORD = re.compile("cuda|gpu|npu|nccl|hccl", re.I)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMES_A_FLAG = re.compile(r"(?!.*(\bcuda\.|\.is_cuda\b|\btorch\b))[\w.]+(\(\))?")
_LISTS = frozenset({"list", "tuple", "set"})
_LONG = 100
"""In bytes: what is longer is no name of a device, nor of what belongs to one."""
_CLAUSES = frozenset({"elif_clause", "else_clause"})
_DIFFERS = frozenset({"!=", "<>", "not in", "is not"})


class NpuBranches:
    """Which places of a file are in the CUDA branch of code that knows the NPU too."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._answers: dict[int, bool] = {}
        self._signs: dict[int, tuple[int, ...]] = {}
        self._keys: dict[int, frozenset[tuple[str, str]]] = {}
        """By block what its statements define, assign or test."""
        self._items: dict[int, frozenset[frozenset[str]]] = {}
        """By list or table the words of its items or keys."""
        self._tested: dict[int, bool] = {}
        """By choice: whether one of its conditions speaks of the NPU."""

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
        while node is not None and (parent := parent_of(node)) is not None:
            known = self._answers.get(node.id)
            if known is not None:
                answer = known
                break
            climbed.append(node.id)
            if self._has_npu_sibling(node, parent):
                answer = True
                break
            node = parent
        # What is covered covers all below it: each node is looked at once, however many findings it has.
        self._answers.update(dict.fromkeys(climbed, answer))
        return answer

    def _has_npu_sibling(self, child: Node, parent: Node) -> bool:
        if parent.type == "if_statement":
            own = field(child if child.type in _CLAUSES else parent, "condition")
            tests = self._among(parent, self._is_npu_test, _conditions)[:2]
            return any(own is None or start != own.start_byte for start in tests)
        if parent.type == "conditional_expression":
            return self._is_beside_npu_test(parent, child)
        if parent.type == "boolean_operator":
            others = (item for item in parent.named_children if not same(item, child))
            return _has_sign(parent, "or") and any(map(self._is_npu_test, others))
        if parent.type == "try_statement":
            return child.type == "except_clause" and self._imports_npu(field(parent, "body"))
        if parent.type in ("block", "module"):
            return self._is_settled_in_block(child, parent)
        return self._is_listed_with_npu(child, parent)

    def _is_listed_with_npu(self, child: Node, parent: Node) -> bool:
        if parent.type in _LISTS:
            return bool(self._among(parent, self._is_npu_text)) or self._has_npu_item(child, parent)
        if parent.type == "dictionary":
            others = self._among(parent, self._is_npu_pair)[:2]
            return any(start != child.start_byte for start in others) or self._has_npu_item(child, parent)
        return False

    def _is_settled_in_block(self, child: Node, block: Node) -> bool:
        """Whether other statements of its block do for the NPU what a statement does."""
        if self._has_npu_twin(child, block) or self._is_set_anew_for_npu(child):
            return True
        return any(start < child.start_byte for start in self._among(block, self._leaves_for_npu)[:1])

    def _imports_npu(self, block: Node | None) -> bool:
        """``try: import torch_npu``: the handler is for machines without NPUs."""
        statements = block.named_children if block is not None else ()
        return any("import" in item.type and "torch_npu" in text_of(item) for item in statements)

    def _is_set_anew_for_npu(self, statement: Node) -> bool:
        """``x = torch.cuda.f`` before ``if is_npu: x = torch.npu.f``: the first is for the other devices."""
        target = _target_of(statement)
        following = statement.next_named_sibling if target else None
        if following is None or following.type != "if_statement":
            return False
        body, test = field(following, "consequence"), field(following, "condition")
        if body is None or test is None or not self._is_npu_test(test):
            return False
        return any(_target_of(item) == target for item in body.named_children)

    def _among(
        self,
        parent: Node,
        is_sign: Callable[[Node], bool],
        parts: Callable[[Node], Iterable[Node]] = attrgetter("named_children"),
    ) -> tuple[int, ...]:
        """Where the parts begin that speak of the NPU; each parent is looked through once."""
        if parent.id not in self._signs:
            self._signs[parent.id] = tuple(part.start_byte for part in parts(parent) if is_sign(part))
        return self._signs[parent.id]

    def _has_npu_twin(self, child: Node, block: Node) -> bool:
        """``def npu`` beside ``def cuda``, ``is_hccl = ...`` beside ``is_nccl = ...``: both are served."""
        key = twin_key(child)
        other = for_npu(key) if key is not None else None
        if other is None:
            return False
        if block.id not in self._keys:
            keys = (twin_key(item) for item in block.named_children)
            self._keys[block.id] = frozenset(item for item in keys if item is not None)
        return other in self._keys[block.id]

    def _has_npu_item(self, child: Node, holder: Node) -> bool:
        """``torch.npu.FloatTensor`` beside ``torch.cuda.FloatTensor``: of both the same would become."""
        words = _words_of_item(child)
        wanted = frozenset(_NPU_WORDS.get(word, word) for word in words)
        if wanted == words:
            return False
        if holder.id not in self._items:
            self._items[holder.id] = frozenset(map(_words_of_item, holder.named_children))
        return wanted in self._items[holder.id]

    def _is_beside_npu_test(self, choice: Node, arm: Node) -> bool:
        """Whether a condition speaks of the NPU that decides between ``a if test else b`` and another arm.

        What is said in an arm's own condition does not make it code for another device.
        """
        parts = parts_of(choice)
        if len(parts) != 3 or same(parts[1], arm):
            return False
        if same(parts[0], arm):
            return self._has_npu_test(parts[2])
        return self._is_npu_test(parts[1]) or self._has_npu_test(parts[0])

    def _has_npu_test(self, expression: Node) -> bool:
        """Whether a choice has a condition that speaks of the NPU, or one does that is its last arm."""
        climbed: list[int] = []
        answer = False
        while expression.type == "conditional_expression":
            known = self._tested.get(expression.id)
            parts = parts_of(expression)
            if known is not None or len(parts) != 3:
                answer = known or False
                break
            climbed.append(expression.id)
            if self._is_npu_test(parts[1]):
                answer = True
                break
            expression = parts[2]
        self._tested.update(dict.fromkeys(climbed, answer))
        return answer

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
            node = parent_of(node)
        return negated

    def _is_npu_text(self, node: Node) -> bool:
        text = self._source.text_of(node).strip("'\"").lower()
        return text == "npu" or text.startswith("npu:") or text == "hccl"

    def _leaves_for_npu(self, statement: Node) -> bool:
        """``if is_npu(): return ...`` before the statement: what follows is for the other devices."""
        if statement.type != "if_statement":
            return False
        body = statement.child_by_field_name("consequence")
        test = statement.child_by_field_name("condition")
        # ``if is_npu() and half:`` leaves the NPU's other cases to what follows.
        return test is not None and leaves_block(body) and not _is_and(test) and self._is_npu_test(test)


def _target_of(statement: Node) -> str:
    """What a statement assigns to, as it is written; empty for another statement."""
    return text_of(field(assignment_in(statement), "left"))


def twin_key(statement: Node) -> tuple[str, str] | None:
    """What a statement defines, assigns or tests, as far as no fix would rename it."""
    if statement.type == "decorated_definition":
        return twin_key(statement.child_by_field_name("definition") or statement.named_children[-1])
    if statement.type in ("function_definition", "class_definition"):
        name = field(statement, "name")
        return ("definition", _words(text_of(name))) if name is not None else None
    if statement.type == "if_statement":
        test = field(statement, "condition")
        text = text_of(test)
        return ("test", _words(text)) if _NAMES_A_FLAG.fullmatch(text) else None
    target = field(assignment_in(statement), "left")
    return ("target", _words(text_of(target))) if target is not None else None


def for_npu(key: tuple[str, str]) -> tuple[str, str] | None:
    """The same for the NPU; None for what does not speak of CUDA."""
    kind, text = key
    words = text.split()
    others = [_NPU_WORDS.get(word, word) for word in words]
    return (kind, " ".join(sorted(others))) if others != words else None


def _words_of_item(item: Node) -> frozenset[str]:
    """The words of an item of a list or of a key of a table; none of one that is long."""
    named = item.child_by_field_name("key") if item.type == "pair" else item
    if named is None or named.end_byte - named.start_byte > _LONG:
        return frozenset()
    return frozenset(_words(text_of(named)).split())


def _words(name: str) -> str:
    """The words of a name, however it puts them together: ``CudaTimer`` and ``timer_cuda`` are alike."""
    apart = _DEVICE_WORD.sub(r" \g<0> ", name)
    return " ".join(sorted(word.lower() for word in _WORD.findall(apart)))


def _is_denial(comparison: Node) -> bool:
    """``x != 'npu'``, and ``torch_npu is None``."""
    if comparison.type != "comparison_operator":
        return False
    signs = [child.type for child in comparison.children]
    return "is" in signs if "none" in signs else not _DIFFERS.isdisjoint(signs)


def _is_and(condition: Node) -> bool:
    return _has_sign(without_parentheses(condition), "and")


def _has_sign(operator: Node, word: str) -> bool:
    sign = operator.child_by_field_name("operator")
    return sign is not None and sign.type == word


def _conditions(choice: Node) -> Iterator[Node]:
    """The conditions of an if statement and of its clauses."""
    for clause in (choice, *(item for item in choice.children if item.type == "elif_clause")):
        condition = field(clause, "condition")
        if condition is not None:
            yield condition
