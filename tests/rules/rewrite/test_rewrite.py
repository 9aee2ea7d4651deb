"""Changes to calls keep comments and layout, and touch only the tokens that differ."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.model.finding import Rewrite
from gpu2ascend_rules.rewrite import RewriteDeclined, rewrite_edits
from gpu2ascend_rules.text.source_file import SourceFile


def changed(text: str, *steps: tuple[str, str]) -> str:
    source = SourceFile(text)
    rewrite = Rewrite(0, len(source.data), steps)
    return apply_edits(source.data, rewrite_edits(source, rewrite)).decode()


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        ("f()", ("set", "a=1"), "f(a=1)"),
        ("f(x)", ("set", "a=1"), "f(x, a=1)"),
        ("f(x,)", ("set", "a=1"), "f(x, a=1,)"),
        ("f(x, a=0)", ("set", "a=1"), "f(x, a=1)"),
        ("f(x, **kw)", ("set", "a=1"), "f(x, a=1, **kw)"),
        ("f(\n    x,  # why\n    y,\n)", ("set", "a=1"), "f(\n    x,  # why\n    y,\n    a=1,\n)"),
        ("f(\r\n    x,\r\n    y\r\n)", ("set", "a=1"), "f(\r\n    x,\r\n    y,\r\n    a=1\r\n)"),
        ("f(a=1, b=2)", ("drop", "b"), "f(a=1)"),
        ("f(a=1, b=2)", ("drop", "a"), "f(b=2)"),
        ("f(a=1)", ("drop", "z"), "f(a=1)"),
        ("f(1, 2, 3)", ("name", "2=c"), "f(1, 2, c=3)"),
        ("f(1, 2)", ("put", "1=g(2)"), "f(1, g(2))"),
        ("f(1, 2)", ("remove", "0"), "f(2)"),
        ("a.b.c(x)", ("callee", "d.e"), "d.e(x)"),
        ("f('世界', x)", ("set", "a='🎉'"), "f('世界', x, a='🎉')"),
    ],
)
def test_step(before: str, step: tuple[str, str], after: str) -> None:
    assert changed(before, step) == after


@pytest.mark.parametrize("text", ["f(*args)", "f(1, 2)", "f(1, *args)"])
def test_a_name_for_what_is_not_there_or_has_others_behind_it_is_declined(text: str) -> None:
    with pytest.raises(RewriteDeclined):
        changed(text, ("name", "0=a"))


def test_keywords_may_follow_what_gets_a_name() -> None:
    assert changed("f(1, b=2, **rest)", ("name", "0=a")) == "f(a=1, b=2, **rest)"


@pytest.mark.parametrize("text", ["f(a=1,  # why\n  b=2)", "f(x,  # why\n  a=1)", "f(a=1  # why\n)"])
def test_no_comment_goes_with_an_argument(text: str) -> None:
    with pytest.raises(RewriteDeclined):
        changed(text, ("drop", "a"))


@pytest.mark.parametrize(
    "text", ["f(" + "(" * 2000 + "1" + ")" * 2000 + ")", "f(" + " + ".join(["x"] * 8000) + ")"]
)
def test_what_would_overflow_the_parser_is_declined(text: str) -> None:
    with pytest.raises(RewriteDeclined):
        changed(text, ("set", "a=1"))
