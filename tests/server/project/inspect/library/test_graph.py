"""What the names in a library stand for, and who uses whom: through re-exports, bases, stars and circles."""

from __future__ import annotations

import pytest

from gpu2ascend.project.inspect.library.graph import CallGraph
from gpu2ascend.project.inspect.library.units import units_of
from gpu2ascend_rules.text.source_file import SourceFile

FILES = {
    "lib/__init__.py": "from .a import f, A\nfrom .b import *\nfrom .loop import x\nfrom . import c\n",
    "lib/a.py": (
        "class Base:\n    def run(self): pass\n    def __init__(self): pass\n"
        "class A(Base):\n    def own(self): pass\n    def forward(self, x): pass\n"
        "class Circle(Second): pass\nclass Second(Circle, Base): pass\n"
        "def f(): pass\n"
        "def _hidden(): pass\n"
    ),
    "lib/b.py": (
        "from .c import *\nfrom numpy import *\ndef g(): pass\ndef _g(): pass\nclass B: pass\nk = g\n"
    ),
    "lib/c.py": "from .a import f as far\ndef h(): pass\n",
    "lib/loop.py": "from .back import x\n",
    "lib/back.py": "from .loop import x\n",
}


def graph(files: dict[str, str] | None = None) -> CallGraph:
    roots = frozenset({"lib"})
    return CallGraph(
        units_of(SourceFile(text, path), roots) for path, text in (FILES if files is None else files).items()
    )


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("lib.a.f", "lib.a.f"),
        ("lib.f", "lib.a.f"),
        ("lib.a", "lib.a"),
        ("lib", "lib"),
        ("lib.c", "lib.c"),
        ("lib.A", "lib.a.A"),
        ("lib.A.own", "lib.a.A.own"),
        ("lib.A.run", "lib.a.Base.run"),
        ("lib.a.A.missing", None),
        ("lib.a.Second.run", "lib.a.Base.run"),
        ("lib.a.Circle.run", "lib.a.Base.run"),
        ("lib.a.Circle.missing", None),
        ("lib.g", "lib.b.g"),
        ("lib.k", "lib.b.g"),
        ("lib.B", "lib.b.B"),
        ("lib._g", None),
        ("lib.h", "lib.c.h"),
        ("lib.far", "lib.a.f"),
        ("lib.x", None),
        ("lib.missing", None),
        ("lib.a.missing", None),
        ("numpy.sum", None),
        ("f", None),
    ],
)
def test_what_a_name_stands_for(name: str, meaning: str | None) -> None:
    known = graph()
    assert known.meaning(name) == meaning
    assert known.meaning(name) == meaning, "asked again"


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("lib.f", {"lib.a.f"}),
        ("lib.c", {"lib.c"}),
        ("lib.A", {"lib.a.Base.__init__", "lib.a.A.forward"}),
        ("lib.a.Base", {"lib.a.Base.__init__"}),
        ("lib.B", set()),
        ("numpy.sum", set()),
    ],
)
def test_who_uses_a_name_runs_the_function_or_what_makes_and_calls_the_object(
    name: str, runs: set[str]
) -> None:
    assert set(graph().used(name)) == runs


def test_users_are_those_that_call_it_and_of_a_module_those_that_import_it() -> None:
    files = {
        "lib/a.py": "def f(): return f()\ndef g(): return f()\n",
        "lib/b.py": "from lib.a import g\nimport numpy\ng()\ndef h(): return g()\n",
        "lib/c.py": "import lib.a\n",
    }
    assert graph(files).users() == {
        "lib.a.f": {"lib.a.g"},
        "lib.a.g": {"lib.b", "lib.b.h"},
        "lib.a": {"lib.b", "lib.c"},
    }


def test_the_names_by_which_users_reach_a_unit_the_shortest_first() -> None:
    names = graph().public_names()
    assert names["lib.a.f"] == ("lib.f", "lib.far", "lib.a.f", "lib.b.far")
    assert names["lib.b.g"] == ("lib.g", "lib.k", "lib.b.g", "lib.b.k")
    assert names["lib.c.h"] == ("lib.h", "lib.b.h", "lib.c.h")
    assert names["lib.a.A.own"] == ("lib.A.own", "lib.a.A.own")
    assert names["lib.a.Base.__init__"] == ("lib.a.Base.__init__",)
    assert names["lib.a._hidden"] == names["lib.b._g"] == ()


def test_stars_of_each_other_come_to_an_end() -> None:
    files = {
        "lib/a.py": "from lib.b import *\ndef f(): pass\n",
        "lib/b.py": "from lib.a import *\ndef g(): pass\n",
    }
    known = graph(files)
    assert known.public_names()["lib.a.f"] == ("lib.a.f", "lib.b.f")
    assert known.meaning("lib.b.missing") is None
