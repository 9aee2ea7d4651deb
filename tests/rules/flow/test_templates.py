"""Texts that are put together, with `{}` for what is not known, and the texts that an annotation admits."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.flow.templates import (
    format_filled,
    literal_texts,
    percent_filled,
    plain_text,
    template_of,
)
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field


@pytest.mark.parametrize(
    ("annotation", "texts"),
    [
        ("Literal['cuda', 'cpu']", {"cuda", "cpu"}),
        ("typing.Literal['cuda']", {"cuda"}),
        ("Optional[Literal['cuda']]", {"cuda"}),
        ("Literal['cuda'] | None", {"cuda"}),
        ("Union[Literal['cuda'], Literal['cpu'], int]", {"cuda", "cpu"}),
        ("list[Literal['cuda', 'cpu']]", {"cuda", "cpu"}),
        ("Annotated[Literal['cuda'], 'cpu']", {"cuda"}),
        ("Annotated[str, 'cuda']", set()),
        ("list['Device']", set()),
        ("Optional['cuda']", set()),
        ("'cuda'", set()),
        ("Field('cuda')", set()),
        ("str", set()),
    ],
)
def test_the_texts_of_an_annotation_are_those_of_its_literals(annotation: str, texts: set[str]) -> None:
    source = SourceFile(f"x: {annotation} = y\n")
    statement = source.root.named_children[0].named_children[0]
    given = field(statement, "type")
    assert given is not None
    assert set(literal_texts(given)) == texts


def given(expression: str) -> Node:
    """The node of an expression."""
    found = field(SourceFile(f"x = {expression}\n").root.named_children[0].named_children[0], "right")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("expression", "template"),
    [
        ("'cuda'", "cuda"),
        ("('cuda')", "cuda"),
        ("'cuda' ':0'", "cuda:0"),
        ("f'cuda:{i}'", "cuda:{}"),
        ("f'{a}:{b}'", "{}:{}"),
        ("'cuda:' + str(i)", "cuda:{}"),
        ("'a' + 'b' + 'c' + 'd'", "abcd"),
        ("'a' + ('b' + 'c')", "abc"),
        ("x + 'b'", "{}b"),
        ("'a' - 'b'", "{}"),
        ("'a' * 2 + 'b'", "{}b"),
        ("'a' + 2 * x", "a{}"),
        ("x", "{}"),
        ("f('a')", "{}"),
        ("''", ""),
        ("'a' + " * 40 + "'b'", "a" * 40 + "b"),
        ("(" * 3 + "'a'" + ")" * 3, "a"),
    ],
)
def test_the_template_of_an_expression(expression: str, template: str) -> None:
    assert template_of(given(expression)) == template


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'cuda'", "cuda"),
        ("('cuda')", "cuda"),
        ("'a' 'b'", "ab"),
        ("''", ""),
        ("f'cuda'", "cuda"),
        ("f'cuda{i}'", None),
        ("'a' + 'b'", None),
        ("x", None),
        ("1", None),
    ],
)
def test_a_text_is_plain_without_unknown_parts(expression: str, text: str | None) -> None:
    assert plain_text(given(expression)) == text


def test_no_expression_is_no_text() -> None:
    assert plain_text(None) is None


@pytest.mark.parametrize(
    ("template", "position", "filled"),
    [
        ("%s:%d", 0, "cuda:%d"),
        ("%s:%d", 1, "%s:cuda"),
        ("%s:%d", 2, "{}"),
        ("a%sb", 0, "acudab"),
        ("%(d)s:%(i)03d", 0, "cuda:%(i)03d"),
        ("%(d)s:%(i)03d", 1, "%(d)s:cuda"),
        ("%.2f %r %i", 2, "%.2f %r cuda"),
        ("%%", 0, "{}"),
        ("", 0, "{}"),
    ],
)
def test_a_field_of_percent_is_filled_by_its_position(template: str, position: int, filled: str) -> None:
    assert percent_filled(template, position, "cuda") == filled


@pytest.mark.parametrize(
    ("template", "argument", "filled"),
    [
        ("{}:{}", "0", "cuda:{}"),
        ("{}:{}", "1", "{}:cuda"),
        ("{}:{}", "2", "{}"),
        ("{1}:{0}", "0", "{1}:cuda"),
        ("{1}:{0}", "1", "cuda:{0}"),
        ("{d}:{i}", "d", "cuda:{i}"),
        ("{d:>4}:{i}", "d", "cuda:{i}"),
        ("{d}:{i}", "other", "{}"),
        ("a{}b", "0", "acudab"),
        ("none", "0", "{}"),
    ],
)
def test_a_field_of_format_is_filled_by_name_or_number(template: str, argument: str, filled: str) -> None:
    assert format_filled(template, argument, "cuda") == filled
