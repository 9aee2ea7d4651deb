"""The ways through a function are counted with what other tools leave out, and never become more."""

from __future__ import annotations

import pytest

from tools.complexity import LIST, functions_of, over_the_limit, problems, read_list


@pytest.mark.parametrize(
    ("body", "ways"),
    [
        ("return 1", 1),
        ("if a and b or c: pass", 4),
        ("return [x for x in y if x if z]", 4),
        ("return a if b else c", 2),
        ("for x in y:\n        while z: pass", 3),
        ("try: pass\n    except E: pass\n    except F: pass", 3),
        ("match x:\n        case 1: pass\n        case _: pass", 3),
        ("def inner():\n        if a: pass", 1),
    ],
)
def test_each_decision_is_a_way(body: str, ways: int) -> None:
    assert dict(functions_of(f"def f():\n    {body}\n"))["f"] == ways


def test_a_function_is_named_by_what_it_is_in() -> None:
    text = "class A:\n    def f(self):\n        def g(): pass\nif x:\n    def h(): pass\n"
    assert [name for name, _ in functions_of(text)] == ["A.f", "A.f.g", "h"]


def test_only_a_listed_function_may_be_over_the_limit_and_only_as_far_as_listed() -> None:
    assert problems({"a:f": 20}, {"a:f": 20}) == []
    assert problems({"a:f": 16}, {}) == ["a:f: 16 ways, at most 15"]
    assert problems({"a:f": 21}, {"a:f": 20}) == ["a:f: 21 ways, at most 20"]
    assert problems({"a:f": 19}, {"a:f": 20}) == ["a:f: listed with 20, has 19; --write lowers it"]
    assert problems({}, {"a:f": 20}) == ["a:f: listed with 20, has fewer; --write lowers it"]


def test_the_product_is_as_listed() -> None:
    assert problems(over_the_limit(), read_list(LIST.read_text(encoding="utf-8"))) == []
