"""No rule fails at code that is being written: a line ends anywhere, is lost, or has lost its place.

Each run takes the same share of these texts; others are chosen with ``GPU2ASCEND_NEAR_SEED``, and all of them
are examined by ``make proof``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import pytest

from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Example, Rule
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.options.options import options_from
from tests.rules.test_near_programs import SEED, SHARE

_WORD = re.compile(r"\w+|[^\w\s]")


def unfinished(text: str) -> Iterator[str]:
    """The texts that a person leaves behind while typing one of the lines of a text."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        before, after = "".join(lines[:number]), "".join(lines[number + 1 :])
        for word in _WORD.finditer(line):
            yield f"{before}{line[: word.end()]}\n{after}"
        yield before + after
        yield f"{before}{line.lstrip()}{after}"
        yield f"{before}x = 1\n{line}{after}"
        yield before + line.rstrip("\n")


def defects(example: Example) -> Iterator[str]:
    """What goes wrong with the unfinished texts of an example that this run examines."""
    settings = {"version": example.version, "unsafe_fixes": True, **dict(example.settings)}
    request = Request(options=options_from(settings))
    for text in unfinished(example.before):
        if not _is_chosen(text):
            continue
        done = examine(example.path, text, request)
        if done.status is FileStatus.FAILED:
            yield f"{done.problem} {done.traceback}\n{text}"
        yield from (f"{item.code} {item.message}\n{text}" for item in done.findings if is_defect(item))


def _is_chosen(text: str) -> bool:
    digest = hashlib.sha256(f"{SEED} {text}".encode()).digest()
    return int.from_bytes(digest[:4], "big") < SHARE * 2**32


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_no_rule_fails(rule: Rule) -> None:
    assert not [found for example in rule.examples for found in defects(example)]


def test_a_rule_that_fails_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise IndexError

    monkeypatch.setattr(f"{__name__}.SHARE", 1.0)
    monkeypatch.setattr("gpu2ascend_rules.flow.guards.cuda_guards.whole_test", fail)
    example = Example("import torch\nif torch.cuda.is_available():\n    start()\n", version="2.8.0")
    assert any("IndexError" in found for found in defects(example))


def test_the_texts_are_those_of_a_person_who_types() -> None:
    assert list(unfinished("if x:\n    y()\n")) == [
        *("if\n    y()\n", "if x\n    y()\n", "if x:\n    y()\n"),
        *("    y()\n", "if x:\n    y()\n", "x = 1\nif x:\n    y()\n", "if x:"),
        *("if x:\n    y\n", "if x:\n    y(\n", "if x:\n    y()\n"),
        *("if x:\n", "if x:\ny()\n", "if x:\nx = 1\n    y()\n", "if x:\n    y()"),
    ]
