"""The one walk backwards: what it calls the places where it stops, and how far it goes."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.inference.instances import Instances
from gpu2ascend_rules.inference.kinds import Kind, TypeInference
from gpu2ascend_rules.inference.walk.reading import Stop
from gpu2ascend_rules.limits.walks import WALK_LIMITS
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import receiver_of_probe

IMPORTS = "import torch\nfrom lib import make, Base\n"


def receivers(source: SourceFile, name: str) -> list[Node]:
    """The receivers of the methods of a name."""
    parents = [identifier.parent for identifier in source.identifiers(name)]
    found = [parent.child_by_field_name("object") for parent in parents if parent is not None]
    return [node for node in found if node is not None]


def probed(code: str) -> tuple[SourceFile, Node]:
    """The receiver of ``.PROBE`` in a file."""
    source = SourceFile(IMPORTS + code)
    return source, receiver_of_probe(source)


@pytest.mark.parametrize(
    ("code", "stop", "at"),
    [
        ("def f(x):\n    x.PROBE", Stop.PARAMETER, "x"),
        ("def f(*x):\n    x.PROBE", Stop.PARAMETER, "x"),
        ("def f(x: Thing):\n    x.PROBE", Stop.ANNOTATION, "Thing"),
        ("x: Thing\nx.PROBE", Stop.ANNOTATION, "x"),
        ("x = make(1)\nx.PROBE", Stop.IMPORT, "make"),
        ("x = torch.save(y, 'a')\nx.PROBE", Stop.CALL, "torch.save(y, 'a')"),
        ("make.PROBE", Stop.IMPORT, "make"),
        ("x.PROBE", Stop.UNBOUND, "x"),
        ("from lib import *\nx.PROBE", Stop.STAR_IMPORT, "x"),
        ("x = [1, 2][0]\nx.PROBE", Stop.SUBSCRIPT, "[1, 2][0]"),
        ("a, x = make()\nx.PROBE", Stop.UNPACKING, "x"),
        ("for x in [1]:\n    x.PROBE", Stop.LOOP, "x"),
        ("with make() as x:\n    x.PROBE", Stop.CONTEXT_MANAGER, "x"),
        ("try:\n    pass\nexcept E as x:\n    x.PROBE", Stop.CONTEXT_MANAGER, "x"),
        ("match y:\n    case [x]:\n        x.PROBE", Stop.OTHER_BINDING, "x"),
        ("def f():\n    pass\nx = f()\nx.PROBE", Stop.RETURN, "def f():\n    pass"),
        ("class C(Base): pass\nx = C()\nx.PROBE", Stop.OWN_CLASS, "C()"),
        ("x = a or b\nx.PROBE", Stop.OPERATION, "a or b"),
        ("async def f():\n    x = await make()\n    x.PROBE", Stop.EXPRESSION, "await make()"),
        ("x = 1 if c else torch.ones(2)\nx.PROBE", Stop.DISAGREEMENT, "1 if c else torch.ones(2)"),
        ("x = 1\nx = torch.ones(2)\nx.PROBE", Stop.DISAGREEMENT, "x"),
        ("def f(net):\n    net.weight.PROBE", Stop.PARAMETER, "net"),
        ("class C:\n    def f(self, x):\n        self.x = x\n    def g(self):\n        self.x.PROBE",
         Stop.PARAMETER, "x"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_named(code: str, stop: Stop, at: str) -> None:
    source, receiver = probed(code)
    first = Instances(source).unfollowed(receiver)[0]
    assert (first.stop, source.text_of(first.node)) == (stop, at)


@pytest.mark.parametrize("code", ["torch.ones(2).PROBE", "x = 3\nx.PROBE", "x = None\nx.PROBE"])
def test_nothing_is_named_where_the_walk_got_through(code: str) -> None:
    source, receiver = probed(code)
    assert Instances(source).unfollowed(receiver) == ()


def test_to_ask_why_leaves_the_answer_as_it_is() -> None:
    source, receiver = probed("x = torch.ones(2)\nx = x.view(-1)\nx.PROBE")
    instances = Instances(source)
    before = instances.of(receiver)
    instances.unfollowed(receiver)
    assert before is not None
    assert instances.of(receiver) == before


def test_each_reading_stops_where_its_own_ways_end() -> None:
    """What is likely is not looked for in what functions return; what is certain is proven there."""
    source, receiver = probed("def f():\n    return torch.ones(2)\nx = f()\nx.PROBE")
    assert Instances(source).unfollowed(receiver) == ()
    assert TypeInference(source).unfollowed(receiver)[0].stop is Stop.CALL


def test_the_likely_reading_guesses_by_a_name_where_values_are_silent() -> None:
    source, receiver = probed("def f(x, local_rank):\n    local_rank.PROBE")
    assert TypeInference(source).kind(receiver) is Kind.INTEGER


def chained(names: int) -> str:
    """A tensor that has been passed on through that many names."""
    lines = ["x0 = torch.ones(2)", *(f"x{i + 1} = x{i}" for i in range(names - 1)), f"x{names - 1}.PROBE"]
    return "\n".join(lines)


def test_a_walk_goes_as_far_as_its_limit() -> None:
    source, receiver = probed(chained(WALK_LIMITS.depth))
    assert Instances(source).of(receiver) is not None


def test_beyond_its_limit_a_walk_says_that_it_is_too_deep() -> None:
    source, receiver = probed(chained(WALK_LIMITS.depth + 2))
    assert Instances(source).of(receiver) is None
    assert Instances(source).unfollowed(receiver)[0].stop is Stop.TOO_DEEP


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.ones(2)\nx = x.view(-1)\nx.PROBE",
        "x = torch.ones(2)\nfor i in range(9):\n    y = x.view(1)\n    x = y.abs()\nx.PROBE",
        "class C:\n    def __init__(self):\n        self.x = torch.ones(2)\n"
        "    def f(self):\n        self.x = self.x.view(-1)\n        self.x.PROBE",
    ],
)
def test_what_is_asked_first_changes_no_answer(code: str) -> None:
    """On the way to ``x`` one meets ``x`` again, of which nothing is known yet: that is not kept."""
    source, receiver = probed(code)
    (inner,) = (node for node in receivers(source, "view"))
    at_once = Instances(source).of(inner)
    later = Instances(source)
    later.of(receiver)
    assert at_once is not None
    assert later.of(inner) == at_once


def test_a_use_that_no_tensor_has_is_named() -> None:
    source, receiver = probed(
        "class C(torch.nn.Module):\n    def forward(self, x):\n        x.PROBE\n        return x['key']"
    )
    reasons = Instances(source).unfollowed(receiver)
    assert [(item.stop, source.text_of(item.node)) for item in reasons][:1] == [(Stop.USE, "x")]


def test_values_that_depend_on_each_other_end_the_walk() -> None:
    source, receiver = probed("a = b.view(-1)\nb = a.view(-1)\nb.PROBE")
    assert Instances(source).of(receiver) is None
