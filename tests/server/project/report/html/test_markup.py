"""HTML is made of texts in one place, which escapes them."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report.html.markup import Html, element, joined, listed, path_code, with_code


def test_a_text_is_escaped_as_child_and_as_attribute() -> None:
    assert element("a", "<b>&", title="\"x'") == '<a title="&quot;x&#x27;">&lt;b&gt;&amp;</a>'


def test_html_stays() -> None:
    assert element("p", element("b", "x")) == "<p><b>x</b></p>"


def test_an_element_without_an_end() -> None:
    assert element("input", type="radio", checked=True, disabled=False, id=None) == (
        '<input type="radio" checked/>'
    )


def test_names_of_attributes() -> None:
    assert element("p", class_="a", aria_label="b") == '<p class="a" aria-label="b"></p>'


def test_words_in_backquotes_are_code() -> None:
    assert with_code("use `a<b` or ``c``") == (
        'use <code translate="no">a&lt;b</code> or <code translate="no">c</code>'
    )


def test_a_single_backquote_is_text() -> None:
    assert with_code("a ` b") == "a ` b"


def test_a_path_may_be_broken_where_its_parts_end() -> None:
    assert path_code("a/b_c.py") == '<code translate="no">a/<wbr>b_<wbr>c.<wbr>py</code>'


def test_points_of_a_list() -> None:
    assert listed(["<", Html("<i>x</i>")]) == "<ul><li>&lt;</li><li><i>x</i></li></ul>"


def test_what_stands_between_is_escaped_too() -> None:
    assert joined(["a", "b"], "<") == "a&lt;b"


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\x1b", "\x00", "\ud800", "\u200b"])
def test_what_is_not_seen_is_written_out(sign: str) -> None:
    assert sign not in element("p", f"a{sign}b")
