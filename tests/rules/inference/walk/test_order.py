"""No answer depends on what was asked before it: one rule alone asks in another order than all of them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow.libraries import is_made_by_foreign, source_of_value
from gpu2ascend_rules.flow.precision.doubles import double_precision_of
from gpu2ascend_rules.inference.own_methods import OwnMethods
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.walks import WALK_LIMITS
from gpu2ascend_rules.receivers.moves import move_of_library
from gpu2ascend_rules.receivers.reachable import is_reachable
from gpu2ascend_rules.receivers.residence import residence_of
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import OPTIONS


def own_methods(ctx: Context) -> OwnMethods:
    return ctx.once("own methods", lambda: OwnMethods(ctx.source))


QUESTIONS: dict[str, Callable[[Node, Context], object]] = {
    "kind": lambda node, ctx: ctx.kind(node),
    "instance": lambda node, ctx: ctx.instances.of(node),
    "origins": lambda node, ctx: ctx.origins(node),
    "own method": lambda node, ctx: own_methods(ctx).is_called(node, "cuda"),
    "library": source_of_value,
    "double precision": double_precision_of,
    "foreign": is_made_by_foreign,
    "residence": residence_of,
    "move": move_of_library,
    "reachable": is_reachable,
}
ASKED = frozenset(
    {"identifier", "attribute", "call", "subscript", "binary_operator", "conditional_expression",
     "boolean_operator"}
)  # fmt: skip
HEAD = """import clip
import paddle
import torch
from torch import nn
class Net(nn.Module):
    def cuda(self): return self
"""
VALUES = (
    "torch.ones(2)", "torch.ones(2).double()", "torch.ones(2).cpu()", "torch.LongTensor(1)",
    "nn.Linear(1, 1)", "nn.Sequential(a0)", "Net()", "paddle.ones(2)", "clip.load(1)",
    "unknown(1)", "1", "'a'", "None",
)  # fmt: skip
PROGRAMS = range(60)


class Programs:
    """Statements that give a few names values, mostly of one another."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = self._random.randrange(2, 6)

    def program(self) -> str:
        """A class with one method, and three functions that call each other."""
        lines = [f"        {self._target()} = {self._value()}" for _ in range(self._random.randrange(3, 12))]
        for number in range(3):
            result = self._random.choice(["f0()", "f1()", "f2()", "a0", "torch.ones(1)"])
            lines.append(f"def f{number}():\n    a0 = {self._value()}\n    return {result}")
        return "\n".join([HEAD + "class C:\n    def g(self, a0, a1=1):", *lines, ""])

    def _name(self) -> str:
        return f"a{self._random.randrange(self._names)}"

    def _attribute(self) -> str:
        return f"self.b{self._random.randrange(3)}"

    def _target(self) -> str:
        return self._random.choice([self._name(), self._name(), self._name(), self._attribute(), "q, a1"])

    def _place(self) -> str:
        called = f"f{self._random.randrange(3)}()"
        return self._random.choice([self._name(), self._name(), self._name(), self._attribute(), called])

    def _value(self, depth: int = 0) -> str:
        def part() -> str:
            is_nested = depth < 1 and self._random.random() < 0.4
            return self._value(depth + 1) if is_nested else self._place()

        makers: list[Callable[[], str]] = [
            lambda: self._random.choice(VALUES),
            lambda: self._random.choice(VALUES),
            self._place,
            lambda: f"{part()}.view(1)",
            lambda: f"{part()}.cuda()",
            lambda: f"{part()}.numpy()",
            lambda: f"{part()}[0]",
            lambda: f"{part()}[1:]",
            lambda: f"{part()} or {part()}",
            lambda: f"{part()} + {part()}",
            lambda: f"{part()} if c else {part()}",
            lambda: f"{self._place()}({self._place()})",
        ]
        return self._random.choice(makers)()


def asked(source: SourceFile) -> list[Node]:
    return [node for node in nodes_in(source.root) if node.type in ASKED]


def answers(source: SourceFile, nodes: list[Node], question: str) -> dict[int, object]:
    """The answer for each node, asked in that order in one context."""
    context = Context(source, OPTIONS)
    return {node.id: QUESTIONS[question](node, context) for node in nodes}


def assert_order_is_of_no_account(code: str, question: str) -> None:
    source = SourceFile(code)
    nodes = asked(source)
    forwards, backwards = answers(source, nodes, question), answers(source, nodes[::-1], question)
    for node in nodes[::3]:
        alone = answers(source, [node], question)[node.id]
        where = f"{source.text_of(node)}, line {node.start_point[0] + 1} of\n{code}"
        assert (forwards[node.id], backwards[node.id]) == (alone, alone), where


@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_values_that_depend_on_each_other_are_the_same_in_any_order(question: str) -> None:
    for seed in PROGRAMS:
        assert_order_is_of_no_account(Programs(seed).program(), question)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_too_far_away_is_so_in_any_order(question: str) -> None:
    links = "".join(f"x{i + 1} = x{i}.view(1)\n" for i in range(WALK_LIMITS.depth))
    assert_order_is_of_no_account(f"{HEAD}x0 = torch.ones(2).double().cpu()\n{links}", question)


@pytest.mark.slow
def test_the_programs_have_answers_to_tell_apart() -> None:
    """If nothing were ever found, no order could matter."""
    for question in QUESTIONS:
        found = set()
        for seed in PROGRAMS:
            source = SourceFile(Programs(seed).program())
            found |= {repr(answer) for answer in answers(source, asked(source), question).values()}
        assert len(found) > 1, question
