"""Pieces fit the budget, lose nothing, and always go on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend.texts.answers.budget import clipped, ending, fitting, page_of_text, tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("torch", 1),
        ("empty_cache", 3),
        ("torch.cuda.empty_cache", 7),
        ("1234", 2),
        ("a b", 2),
        ("昇腾", 2),
        ("a\n    b", 5),
    ],
)
def test_tokens_are_counted_rather_too_high(text: str, count: int) -> None:
    assert tokens(text) == count


@given(st.text(max_size=300), st.integers(1, 50))
def test_the_pages_of_a_text_are_the_text(text: str, budget: int) -> None:
    pages, offset = [], 0
    while True:
        page = page_of_text(text, offset, budget)
        pages.append(page.text)
        if page.next_offset is None:
            break
        assert page.next_offset > offset
        offset = page.next_offset
    assert "".join(pages) == text


def test_a_page_ends_at_a_line_and_fits() -> None:
    page = page_of_text("one two\nthree four\nfive six\n", 0, 7)
    assert page.text == "one two\n" and page.next_offset == 8
    assert tokens(page_of_text("word " * 1_000, 0, 20).text) == 20


def test_items_are_as_many_as_fit_but_at_least_one() -> None:
    items = ["word " * 10] * 5
    assert fitting(items, 0, 10, str, budget=30) == (items[:2], 2)
    assert fitting(items, 4, 10, str, budget=1) == (items[4:], None)
    assert fitting(items, 0, 1, str, budget=1_000) == (items[:1], 1)
    assert fitting(items, 9, 1, str) == ([], None)


def test_what_is_cut_says_so() -> None:
    assert clipped("one two three", 2) == "one two …"
    assert clipped("one two", 2) == "one two"
    assert ending("one\ntwo\nthree", 4) == "…\ntwo\nthree"
    assert ending("one\ntwo", 50) == "one\ntwo"
