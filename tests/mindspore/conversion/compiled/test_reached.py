"""What a module computes is part of the graph, with what it calls."""

from __future__ import annotations

import pytest

from ..converting import Converted, converted


def module(*lines: str, before: str = "", methods: str = "", made: str = "self.count = 0") -> str:
    body = "\n".join(f"        {line}" for line in lines)
    return (
        f"import math\nimport random\nimport numpy as np\nimport torch\n\n"
        f"{before}class Net(torch.nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n        {made}\n\n{methods}"
        f"    def forward(self, x):\n{body}\n        return torch.relu(x)\n"
    )


def graph(text: str) -> Converted:
    return converted(text, target="mindspore", graph=True)


REFUSED = [
    ("self.count += 1", "graph-frozen"),
    ("self.last = x", "graph-frozen"),
    ("self.cache['x'] = x", "graph-frozen"),
    ("self.seen.append(1)", "graph-frozen"),
    ("x = x * random.random()", "graph-frozen"),
    ("x = x * np.random.rand()", "graph-frozen"),
    ("del x.extra", "graph-syntax"),
    ("import json", "graph-syntax"),
    ("try:\n            x = x * 2\n        except ValueError:\n            pass", "graph-syntax"),
]
TAKEN = ["x = x / math.sqrt(2)", "y = []\n        y.append(x)", "print(x)", "x = (lambda q: q * 2)(x)"]


@pytest.mark.parametrize(("line", "reason"), REFUSED)
def test_what_it_cannot_hold_keeps_the_file(line: str, reason: str) -> None:
    text = module(line)
    assert converted(text).blockers == {}
    answer = graph(text)
    assert reason in answer.blockers.values() and answer.text == text


@pytest.mark.parametrize("line", TAKEN)
def test_what_was_compiled_with_equal_results_is_taken(line: str) -> None:
    assert graph(module(line)).blockers == {}


def test_what_it_calls_is_looked_at() -> None:
    method = "    def help(self, x):\n        self.count = 3\n        return x\n\n"
    assert graph(module("x = x * 2", methods=method)).blockers == {}
    assert "graph-frozen" in graph(module("x = self.help(x)", methods=method)).blockers.values()
    function = "def help(x):\n    import json\n    return x\n\n\n"
    assert graph(module("x = x * 2", before=function)).blockers == {}
    assert "graph-syntax" in graph(module("x = help(x)", before=function)).blockers.values()


def test_an_attribute_that_is_changed_elsewhere_is_frozen() -> None:
    setter = "    def anneal(self, to):\n        self.alpha = to\n\n"
    made = "self.alpha = 1.0"
    assert graph(module("x = x * self.alpha", made=made)).blockers == {}
    assert graph(module("x = x * 2", made=made, methods=setter)).blockers == {}
    assert graph(module("x = x * self.alpha", made=made, methods=setter)).blockers == {
        "self.alpha": "graph-frozen"
    }


def test_what_only_the_constructor_calls_makes_the_object() -> None:
    setter = "    def set_up(self):\n        self.alpha = 2.0\n\n"
    assert graph(module("x = x * self.alpha", made="self.set_up()", methods=setter)).blockers == {}


def test_a_global_that_changes_is_frozen() -> None:
    fixed = "SCALE = 2.0\n\n\n"
    changing = f"{fixed}def anneal():\n    global SCALE\n    SCALE = 3.0\n\n\n"
    assert graph(module("x = x * SCALE", before=fixed)).blockers == {}
    assert graph(module("x = x * SCALE", before=changing)).blockers == {"SCALE": "graph-frozen"}
