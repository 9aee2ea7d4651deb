"""What a rule waits for may stand anywhere: uncalled, without arguments, with unpacked ones, assigned oddly.

The examples of a rule have the usual shape of each piece of code. Here each piece gets the other shapes that
it can have in Python, one at a time. Whatever the shape, no rule fails, and what its fixes make still parses.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Example, Rule
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.text.source_file import SourceFile
from tests.cases import every_case
from tests.rules.example_options import options_of

CALLS = (
    "{function}",
    "{function}()",
    "{function}(*a, **k)",
    "{function}[0]",
    "({whole})",
    "{function}(lambda: {whole})",
)
TEXTS = ("x", "({whole} 'b')", "f'{{x}}b'", "b'b'", "{whole}.lower()")
TARGETS = (
    "{value}",
    "x, *y = {value}",
    "x[0] = {value}",
    "x += {value}",
    "x: object = {value}",
    "(x := {value})",
)


def parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:  # a cell of a notebook with a command in it, or half of a program
        return None


def shapes(text: str) -> Iterator[str]:
    """A program with one piece of it in another shape, for each piece and each shape."""
    module = parsed(text)
    for node in ast.walk(module) if module is not None else ():
        for shape in _of(node, text):
            changed = _with(text, node, shape)
            if changed is not None and changed != text and parsed(changed) is not None:
                yield changed


def _of(node: ast.AST, text: str) -> Iterator[str]:
    """The shapes that a piece can have instead."""
    whole = (ast.get_source_segment(text, node) or "") if isinstance(node, (ast.expr, ast.stmt)) else ""
    if isinstance(node, ast.Call):
        function = ast.get_source_segment(text, node.func) or ""
        yield from (shape.format(function=function, whole=whole) for shape in CALLS)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from (shape.format(whole=whole) for shape in TEXTS)
    elif isinstance(node, ast.Assign):
        value = ast.get_source_segment(text, node.value) or ""
        yield from (shape.format(value=value) for shape in TARGETS)


def _with(text: str, node: ast.AST, shape: str) -> str | None:
    """A program with other text in the place of a piece."""
    segment = ast.get_source_segment(text, node)
    if segment is None or not isinstance(node, (ast.expr, ast.stmt)):
        return None
    lines = text.splitlines(keepends=True)
    start = len("".join(lines[: node.lineno - 1]).encode()) + node.col_offset
    data = text.encode()
    return (data[:start] + shape.encode() + data[start + len(segment.encode()) :]).decode()


def programs(rule: Rule) -> dict[int, Example]:
    """The examples of a rule that are Python, by number."""
    return {
        number: example
        for number, example in enumerate(rule.examples)
        if not example.path and parsed(example.before) is not None
    }


of_each_rule = pytest.mark.parametrize(
    "rule", [rule for rule in all_rules() if programs(rule)], ids=lambda rule: rule.code
)


@pytest.mark.slow
@pytest.mark.one_in(8)
@of_each_rule
def test_whatever_the_shape_no_rule_fails(rule: Rule) -> None:
    with every_case() as case:
        for number, example in programs(rule).items():
            options = options_of(example, select=[rule.code])
            with case(number):
                for text in shapes(example.before):
                    check(SourceFile(text), options)


@pytest.mark.one_in(8)
@pytest.mark.slow
@of_each_rule
def test_whatever_the_shape_what_fixes_make_parses(rule: Rule) -> None:
    with every_case() as case:
        for number, example in programs(rule).items():
            options = options_of(example, select=[rule.code], unsafe_fixes=True)
            with case(number):
                for text in shapes(example.before):
                    once = apply_fixes(SourceFile(text), options).text
                    assert parsed(once) is not None, once
