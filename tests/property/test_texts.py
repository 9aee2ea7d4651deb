"""The text of an expression, and the kind of its value, by running it: Python is the oracle."""

from __future__ import annotations

import ast

from hypothesis import example, given
from hypothesis import strategies as st
from tree_sitter import Node

from gpu2ascend_rules.flow.templates import (
    UNKNOWN_PART,
    format_filled,
    percent_filled,
    plain_text,
    template_of,
)
from gpu2ascend_rules.inference.kinds import Kind, TypeInference
from gpu2ascend_rules.text.source_file import SourceFile

WORDS = st.text(alphabet="cuda:0 é#%s", max_size=5).map(lambda text: text.replace("%", ""))
LITERALS = st.builds(
    lambda prefix, quote, text: f"{prefix}{quote}{text}{quote}",
    st.sampled_from(["", "", "u", "r", "f"]),
    st.sampled_from(["'", '"', '"""']),
    WORDS,
)
FIELDS = st.builds("f'{}{{x}}{}'".format, WORDS, WORDS)
SUMS = st.recursive(
    st.one_of(LITERALS, FIELDS, st.just("x"), st.builds("{} {}".format, LITERALS, LITERALS | FIELDS)),
    lambda inner: st.one_of(
        st.builds("({})".format, inner), st.lists(inner, min_size=2, max_size=3).map(" + ".join)
    ),
    max_leaves=6,
)


def expression(code: str) -> Node:
    return SourceFile(f"{code}\n").root.named_children[0].named_children[0]


@given(SUMS)
@example("'a' + ('b' + x) + f'c{x}'")
@example("x + 'a'")
def test_a_template_is_the_text_with_a_field_for_what_is_not_known(code: str) -> None:
    assert template_of(expression(code)) == eval(code, {"x": UNKNOWN_PART})


@given(SUMS)
@example("'' 'cuda'")
@example("('cuda')")
@example("'a' + 'b'")
def test_a_plain_text_is_what_the_literal_says(code: str) -> None:
    body = ast.parse(code, mode="eval").body
    parts = body.values if isinstance(body, ast.JoinedStr) else [body]
    is_literal = all(isinstance(part, ast.Constant) for part in parts)
    assert plain_text(expression(code)) == (eval(code) if is_literal else None)


@given(st.lists(WORDS, min_size=2, max_size=4), st.data(), WORDS)
def test_a_filled_field_is_what_python_fills(parts: list[str], data: st.DataObject, text: str) -> None:
    count = len(parts) - 1
    chosen = data.draw(st.integers(0, count - 1))
    others = [UNKNOWN_PART if index != chosen else text for index in range(count)]
    assert percent_filled("%s".join(parts), chosen, text).replace("%s", UNKNOWN_PART) == "%s".join(
        parts
    ) % tuple(others)
    assert format_filled("{}".join(parts), str(chosen), text) == "{}".join(parts).format(*others)


VALUES = {"1": Kind.INTEGER, "'a'": Kind.TEXT, "True": Kind.BOOLEAN, "False": Kind.BOOLEAN}
CONDITIONALS = st.recursive(
    st.sampled_from(sorted(VALUES)),
    lambda inner: st.builds("({} if {} else {})".format, inner, inner | st.just("x"), inner),
    max_leaves=5,
)
OF_TYPE = {int: Kind.INTEGER, str: Kind.TEXT, bool: Kind.BOOLEAN}


def types_of(node: ast.expr) -> set[type]:
    """The types of all values that an expression may have, whatever its tests give."""
    if isinstance(node, ast.IfExp):
        return types_of(node.body) | types_of(node.orelse)
    assert isinstance(node, ast.Constant)
    return {type(node.value)}


@given(CONDITIONALS)
@example("(1 if 'a' else 1)")
@example("(1 if x else 'a')")
def test_a_choice_is_of_the_kind_of_its_arms_whatever_it_tests(code: str) -> None:
    source = SourceFile(f"{code}\n")
    value = source.root.named_children[0].named_children[0]
    found = types_of(ast.parse(code, mode="eval").body)
    expected = OF_TYPE[found.pop()] if len(found) == 1 else Kind.UNKNOWN
    assert TypeInference(source).kind(value) is expected
