"""A rule file is read whole, or every mistake in it is told with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.custom.reading.reader import RuleFileError, read_rules
from gpu2ascend_rules.custom.reading.schema import KINDS
from gpu2ascend_rules.messages import LANGUAGES, render
from gpu2ascend_rules.model.custom_rule import (
    ArgsModifyRule,
    FuncNameModifyRule,
    ModuleNameModifyRule,
    PatternRule,
    RulePosition,
)


def mistakes(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(RuleFileError) as caught:
        read_rules(text)
    return [(place.line, place.column, message.id) for place, message in caught.value.mistakes]


def one(kind: str, **values: object) -> str:
    return json.dumps({"rules": {kind: [values]}})


def arguments(**values: object) -> str:
    return one("ArgsModifyRule", **{"func_name": "f", "arg_idx": 0, "arg_new": "x", **values})


def test_the_format_that_users_have() -> None:
    text = """{"rules": {
      "ArgsModifyRule": [{"func_name": "name", "arg_idx": 0, "arg_new": "value"}],
      "FuncNameModifyRule": [{"old_name": "func", "new_name": "new_func"}],
      "ModuleNameModifyRule": [
        {"old_name": "module", "new_name": "new_module", "parent_module": "torch.cuda"}]}}"""
    assert read_rules(text) == (
        ArgsModifyRule(RulePosition(2, 26), "name", "value", 0),
        FuncNameModifyRule(RulePosition(3, 30), "func", "new_func"),
        ModuleNameModifyRule(RulePosition(5, 9), "module", "new_module", "torch.cuda"),
    )


def test_patterns() -> None:
    rules = read_rules(one("PatternRule", pattern="foo($x, device=$d)", replace="bar($x)", safe=False))
    assert rules == (
        PatternRule(RulePosition(1, 28), "foo($x, device=$d)", "bar($x)", safe=False, word="foo"),
    )


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "custom.json.value"),
        ('{"rules": {}', 1, 13, "custom.json.comma"),
        ('{"rules": {},}', 1, 14, "custom.json.key"),
        ('{\n  "rules" {}}', 2, 11, "custom.json.colon"),
        ('{"rules": NaN}', 1, 11, "custom.json.value"),
        ('{"rules": {}}\n\n x', 3, 2, "custom.json.extra"),
        ('{"rules": {"ArgsModifyRule": [{"func_name": "a\n"}]}}', 1, 47, "custom.json.string"),
        ('{"rules": {}, "rules": {}}', 1, 15, "custom.json.twice"),
        ("[" * 100_000, 1, 52, "custom.json.deep"),
        ("[]", 1, 1, "custom.no-rules"),
        ("{}", 1, 1, "custom.no-rules"),
    ],
)
def test_what_is_no_rule_file(text: str, line: int, column: int, message: str) -> None:
    assert mistakes(text)[0] == (line, column, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"rules": {"ArgModifyRule": []}}', "custom.unknown-type"),
        ('{"rules": {"ArgsModifyRule": {}}}', "custom.type-list"),
        ('{"rules": {"ArgsModifyRule": [1]}}', "custom.type-object"),
        ('{"rule": {}, "rules": {}}', "custom.unknown-key"),
        (arguments(arg_indx=1), "custom.unknown-key"),
        (arguments(func_name=7), "custom.type-text"),
        (arguments(func_name=" "), "custom.empty"),
        (arguments(func_name="a b"), "custom.not-name"),
        (arguments(func_name="a.class"), "custom.not-name"),
        (arguments(arg_idx=True), "custom.type-number"),
        (arguments(arg_idx=-1), "custom.negative"),
        (arguments(arg_keyword="y"), "custom.one-of"),
        (arguments(arg_new="1 +"), "custom.not-expression"),
        (arguments(arg_new="*a"), "custom.not-expression"),
        (arguments(arg_new="a, b"), "custom.not-expression"),
        (arguments(arg_new="a=b"), "custom.not-expression"),
        (arguments(arg_new="a # b"), "custom.not-expression"),
        (arguments(arg_new="f(1); g()"), "custom.not-expression"),
        (arguments(arg_new="(" * 9000), "custom.not-expression"),
        (arguments(white_list="a"), "custom.type-list"),
        (arguments(white_list=[1]), "custom.type-text"),
        (arguments(white_list=["("]), "custom.bad-regex"),
        (arguments(white_list=["(a+)+$"]), "custom.slow-regex"),
        (one("FuncNameModifyRule", old_name="a"), "custom.missing-key"),
        (one("FuncNameModifyRule", old_name="a", new_name="a"), "custom.no-change"),
        (one("PatternRule", pattern="foo($x"), "custom.not-pattern"),
        (one("PatternRule", pattern="foo($x)"), "custom.one-or-both"),
        (one("PatternRule", pattern="x = $y", message="m"), "custom.not-pattern"),
        (one("PatternRule", pattern="$x + $y", message="m"), "custom.pattern-nameless"),
        (one("PatternRule", pattern="foo('$x')", message="m"), "custom.variable-in-text"),
        (one("PatternRule", pattern="foo($*a, $x)", message="m"), "custom.rest-place"),
        (one("PatternRule", pattern="foo.$x", message="m"), "custom.variable-as-name"),
        (one("PatternRule", pattern="foo($x)", replace="bar($y)"), "custom.unbound"),
        (one("PatternRule", pattern="foo($x)", replace="bar($x"), "custom.not-pattern"),
        (one("PatternRule", pattern="foo($x)", replace="b", safe="yes"), "custom.type-flag"),
    ],
)
def test_what_is_wrong_with_a_rule(text: str, message: str) -> None:
    assert message in [found for _, _, found in mistakes(text)]


def test_every_mistake_is_told_in_the_order_of_the_file() -> None:
    text = '{"rules": {"Foo": [],\n"FuncNameModifyRule": [{}],\n "Bar": []}}'
    assert [(line, found) for line, _, found in mistakes(text)] == [
        (1, "custom.unknown-type"),
        (2, "custom.missing-key"),
        (2, "custom.missing-key"),
        (3, "custom.unknown-type"),
    ]


JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
RULES = st.one_of(
    *(
        st.fixed_dictionaries(
            {},
            optional={
                key: JSON_VALUES | st.sampled_from(["f", "a.b", "f($x)", "", "1", "(", "$*r"]) for key in keys
            },
        )
        for keys in KINDS.values()
    )
)
FILES = st.fixed_dictionaries(
    {"rules": st.dictionaries(st.sampled_from(sorted(KINDS)), st.lists(RULES, max_size=2) | JSON_VALUES)}
)


@pytest.mark.slow
@given(st.text() | JSON_VALUES.map(json.dumps) | FILES.map(json.dumps))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_rules(text)
    except RuleFileError as error:
        for place, message in error.mistakes:
            assert place >= (1, 1)
            assert all(render(message, language) for language in LANGUAGES)
