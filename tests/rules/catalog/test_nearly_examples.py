"""What is found in programs that nearly are the examples of a rule, and in the examples under every version.

The outcomes are kept as fingerprints in ``nearly/CODE.txt``; see :mod:`tests.fingerprints`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Example, Rule
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS
from gpu2ascend_rules.text.source_file import SourceFile
from tests import fingerprints
from tests.fingerprints import Outcome, found
from tests.rules.example_options import options_of
from tests.rules.nearly import Near, nearly, nearly_lines

FINGERPRINTS = Path(__file__).with_name("nearly")


def programs(example: Example) -> Iterator[Near]:
    is_python = isinstance(text_file(example.before, example.path), SourceFile)
    return nearly(example.before) if is_python else nearly_lines(example.before)


def outcomes(rule: Rule) -> Iterator[Outcome]:
    for number, example in enumerate(rule.examples):
        options = options_of(example, unsafe_fixes=True)
        for name, text in programs(example):
            yield found(f"{number}.{name}", text, example.path, options)
        for version in SUPPORTED_VERSIONS:
            chosen = attrs.evolve(options, version=version)
            yield found(f"{number}.{version}", example.before, example.path, chosen)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_what_is_found_in_what_nearly_is_an_example(rule: Rule) -> None:
    fingerprints.agree(FINGERPRINTS / f"{rule.code}.txt", outcomes(rule))


@pytest.mark.every_rule
def test_every_file_is_of_a_rule_that_there_is() -> None:
    assert {path.stem for path in FINGERPRINTS.iterdir()} == {rule.code for rule in all_rules()}
