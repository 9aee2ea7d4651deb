"""The expressions that a value may come from: each once; where the file says no more, the place."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.inference.walk.origins import OriginsReading
from gpu2ascend_rules.inference.walk.walker import Walker
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of


def origins(text: str) -> list[str]:
    """Where the argument of ``asked(...)`` comes from, in the order of the text."""
    source = SourceFile(text)
    start = text.index("asked(") + len("asked")
    arguments = source.root.named_descendant_for_byte_range(start, start + 1)
    assert arguments is not None and arguments.type == "argument_list"
    asked = arguments.named_children[0]
    nodes = Walker(source, OriginsReading()).of(asked).nodes
    assert len({node.id for node in nodes}) == len(nodes)
    return [text_of(node) for node in sorted(nodes, key=lambda node: node.start_byte)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("asked(1)\n", ["1"], id="itself"),
        pytest.param("asked(make(1))\n", ["make(1)"], id="a call is not looked into"),
        pytest.param("def make():\n    return 1\nasked(make())\n", ["make()"], id="nor one of the file"),
        pytest.param("class A: pass\nasked(A())\n", ["A()"], id="nor the making of an object"),
        pytest.param("x = 1\ny = x\nasked(y)\n", ["1"], id="through names"),
        pytest.param("x = 1\nif a:\n    x = 2\nasked(x)\n", ["1", "2"], id="all that a name is given"),
        pytest.param("x = 1 if a else b()\nasked(x)\n", ["1", "b()"], id="either way, not the condition"),
        pytest.param("asked(a() or b())\n", ["a()", "b()"], id="either operand"),
        pytest.param("asked((x := f()))\n", ["f()"], id="what is named on the way"),
        pytest.param("x, y = f(), g()\nasked(y)\n", ["g()"], id="its part of a tuple"),
        pytest.param("x = 1\ny = x\nz = x\nasked(y if a else z)\n", ["1"], id="each once"),
        pytest.param("def f(x=g()):\n    asked(x)\n", ["g()"], id="the default of a parameter"),
        pytest.param("def f(x=None):\n    asked(x)\n", ["x"], id="a default that says nothing"),
        pytest.param("def f(x):\n    asked(x)\n", ["x"], id="a parameter without"),
        pytest.param("asked(x)\n", ["x"], id="a name that nothing binds"),
        pytest.param("import x\nasked(x)\n", ["x"], id="an imported name"),
        pytest.param("x = f()\nx = x\nasked(x)\n", ["f()"], id="a name that is given itself"),
        pytest.param(
            "class A:\n    def h(self):\n        self.x = f()\n    def g(self):\n        asked(self.x)\n",
            ["f()"],
            id="what a class keeps",
        ),
        pytest.param("asked(o.x)\n", ["o.x"], id="an attribute of something else"),
        pytest.param("asked(o[0])\n", ["o[0]"], id="an item"),
    ],
)
def test_origins(text: str, expected: list[str]) -> None:
    assert origins(text) == expected
