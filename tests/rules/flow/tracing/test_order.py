"""What a text is used as does not depend on which texts were asked about before."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.events import StringRef
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import Role, device_flow
from gpu2ascend_rules.flow.verdicts import Verdict
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import OPTIONS

PROGRAMS = range(300)
HEAD = "import torch\nclass C:\n    def m(self, a0, a1='cuda'):\n"


class Programs:
    """Statements that hand texts on through a few names, most of them from one to another and back."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = self._random.randrange(2, 6)

    def program(self) -> str:
        """A class with one method, and functions that call each other."""
        lines = [f"        {self._statement()}" for _ in range(self._random.randrange(3, 12))]
        for number in range(3):
            result = self._random.choice(["f0()", "f1()", "f2()", "a0", "a1", "'cuda'"])
            lines.append(f"def f{number}(a0=None):\n    a1 = {self._value()}\n    return {result}")
        lines.append(f"def g(a0):\n    a1 = {self._value()}\n    return a0\n")
        return HEAD + "\n".join(lines)

    def _name(self) -> str:
        return f"a{self._random.randrange(self._names)}"

    def _attribute(self) -> str:
        return f"self.b{self._random.randrange(3)}"

    def _place(self) -> str:
        called = f"f{self._random.randrange(3)}()"
        names = [self._name(), self._name(), self._name()]
        return self._random.choice([*names, self._attribute(), called, "d['k']", "device"])

    def _statement(self) -> str:
        makers: list[Callable[[], str]] = [
            lambda: f"{self._name()} = {self._value()}",
            lambda: f"{self._attribute()} = {self._value()}",
            lambda: f"d['k'] = {self._value()}",
            lambda: f"x.to({self._value()})",
            lambda: f"foo({self._value()})",
            lambda: f"if {self._place()} == 'cuda': pass",
            lambda: f"print({self._value()})",
            lambda: f"for {self._name()} in {self._value()}: pass",
        ]
        return self._random.choice(makers)()

    def _value(self, depth: int = 0) -> str:
        def part() -> str:
            is_nested = depth < 1 and self._random.random() < 0.4
            return self._value(depth + 1) if is_nested else self._place()

        makers: list[Callable[[], str]] = [
            lambda: "'cuda'",
            lambda: "'cuda:0'",
            self._place,
            lambda: f"{part()} or {part()}",
            lambda: f"({part()} if c else {part()})",
            lambda: f"[{part()}, {part()}]",
            lambda: f"{part()} + ':0'",
            lambda: f"g({part()})",
            lambda: f"{{'k': {part()}}}",
        ]
        return self._random.choice(makers)()


def roles(source: SourceFile, texts: list[StringRef]) -> dict[int, Verdict]:
    """The verdicts on texts, asked for in that order in one context."""
    flow = device_flow(Context(source, OPTIONS))
    return {text.node.id: flow.role_of(text) for text in texts}


@pytest.mark.slow
def test_texts_that_are_handed_round_are_the_same_in_any_order() -> None:
    for seed in PROGRAMS:
        source = SourceFile(Programs(seed).program())
        texts = [text for _, text in scan_strings(source, ["cuda"])]
        forwards, backwards = roles(source, texts), roles(source, texts[::-1])
        for text in texts:
            alone = roles(source, [text])[text.node.id]
            found = {forwards[text.node.id].role, backwards[text.node.id].role, alone.role}
            assert len(found) == 1, f"line {text.node.start_point[0] + 1} of\n{source.text_of(source.root)}"


def test_the_programs_use_texts_in_different_ways() -> None:
    """If every text were shown to somebody and no more, no order could matter."""
    found = set()
    for seed in PROGRAMS:
        source = SourceFile(Programs(seed).program())
        texts = [text for _, text in scan_strings(source, ["cuda"])]
        found |= {verdict.role for verdict in roles(source, texts).values()}
    assert {Role.CONSUMED, Role.TEST, Role.SHOWN, Role.UNKNOWN} <= found
