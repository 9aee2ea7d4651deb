"""Which assignments give a variable its value at a place."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.scopes import reaching
from gpu2ascend_rules.text.source_file import SourceFile


def lines(text: str) -> list[int]:
    """The lines of the bindings of ``x`` that reach its last use as an argument."""
    source = SourceFile(text, "a.py")
    uses = [one for one in source.identifiers("x") if one.parent and one.parent.type == "argument_list"]
    bindings = source.names.bindings_in_scope("x", uses[-1])
    return [one.node.start_point[0] + 1 for one in reaching(bindings, uses[-1])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("x = a\nx = b\nf(x)\n", [2], id="the last of two"),
        pytest.param("x = a\nif c:\n    x = b\nf(x)\n", [1, 3], id="one in a branch hides none"),
        pytest.param("x = a\nfor i in y:\n    f(x)\n    x = b\n", [1, 4], id="that of the turn before"),
        pytest.param("for i in y:\n    x = a\n    f(x)\n    x = b\n", [2], id="one that each turn passes"),
        pytest.param(
            "for i in y:\n    if c:\n        x = a\n    f(x)\n    x = b\n", [3, 5], id="in some turns"
        ),
        pytest.param(
            "for i in y:\n    x = a\n    while c:\n        f(x)\n        x = b\n",
            [2, 5],
            id="an inner loop's",
        ),
        pytest.param("x = a\nfor x in y:\n    f(x)\n", [2], id="what the loop draws"),
        pytest.param(
            "for i in y:\n    x = a\n    for x in i:\n        f(x)\n", [3], id="what an inner loop draws"
        ),
        pytest.param(
            "for x in y:\n    while c:\n        f(x)\n        x = b\n", [1, 4], id="drawn, then given"
        ),
        pytest.param("x = a\nfor x in f(x):\n    pass\n", [1], id="before it is drawn"),
        pytest.param("x = a\nfor x in y:\n    pass\nf(x)\n", [1, 2], id="behind a loop without turns"),
    ],
)
def test_what_reaches_a_place(text: str, expected: list[int]) -> None:
    assert lines(text) == expected
