"""Every rule does what its examples say: they are its specification."""

from __future__ import annotations

import ast

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Example, Rule
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import MigrationOptions
from tests.cases import every_case
from tests.rules.example_options import options_of
from tests.rules.unfiltered import ask_every_rule

of_each_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


def options_for(rule: Rule, example: Example, *, unsafe: bool = False) -> MigrationOptions:
    return options_of(example, select=[rule.code], unsafe_fixes=unsafe)


@of_each_rule
def test_example(rule: Rule) -> None:
    with every_case() as case:
        for number, example in enumerate(rule.examples):
            with case(number):
                _does_what_it_says(rule, example)


def _does_what_it_says(rule: Rule, example: Example) -> None:
    source = text_file(example.before, example.path)
    safe = options_for(rule, example)
    findings = check(source, safe)
    assert bool(findings) != example.is_unchanged, [finding.message for finding in findings]
    assert apply_fixes(source, safe).text == (example.after or example.before)
    if example.unsafe is not None:
        assert apply_fixes(source, options_for(rule, example, unsafe=True)).text == example.unsafe


@of_each_rule
def test_the_words_of_a_rule_hide_none_of_its_examples(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [check(text_file(one.before, one.path), options_for(rule, one)) for one in rule.examples]
    ask_every_rule(monkeypatch)
    with every_case() as case:
        for number, example in enumerate(rule.examples):
            with case(number):
                _is_not_hidden(rule, example, found[number])


def _is_not_hidden(rule: Rule, example: Example, found: tuple[Finding, ...]) -> None:
    everything = check(text_file(example.before, example.path), options_for(rule, example))
    assert found == everything, f"{rule.code} is not asked about this text: its words are not in it"


@of_each_rule
def test_what_an_example_ends_in_parses_and_is_final(rule: Rule) -> None:
    with every_case() as case:
        for number, example in enumerate(rule.examples):
            with case(number):
                _ends_in_final_code(rule, example)


def _ends_in_final_code(rule: Rule, example: Example) -> None:
    options = options_for(rule, example, unsafe=True)
    before = text_file(example.before, example.path)
    once = before.renewed(apply_fixes(before, options).text)
    if isinstance(once, KindFile):
        assert not once.has_syntax_error or (isinstance(before, KindFile) and before.has_syntax_error)
    else:
        ast.parse(once.text)
    assert apply_fixes(once, options).text == once.text


@of_each_rule
def test_a_rule_shows_a_finding_and_where_it_keeps_still(rule: Rule) -> None:
    assert rule.needs_project or any(not example.is_unchanged for example in rule.examples)
    assert any(example.is_unchanged for example in rule.examples)
