"""What one file defines, and what each of its functions uses of the project."""

from __future__ import annotations

import pytest

from gpu2ascend.project.inspect.library.units import ModuleUnits, Unit, module_name, units_of
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = """\
from lib.b import g, C
import lib.c as c
import numpy as np

class Own:
    def m(self): pass

def own(): pass

"""


def read(text: str, path: str = "lib/a.py", top: str = "") -> ModuleUnits:
    return units_of(SourceFile(text, path), frozenset({"lib", "project"}), top)


def unit(text: str, name: str) -> Unit:
    (found,) = [item for item in read(text).units if item.name == name]
    return found


@pytest.mark.parametrize(
    ("path", "top", "name"),
    [
        ("a.py", "", "a"),
        ("lib/a.py", "", "lib.a"),
        ("lib/__init__.py", "", "lib"),
        ("src/a.py", "", "a"),
        ("src/lib/a.py", "", "lib.a"),
        ("src.py", "", "src"),
        ("lib/src/a.py", "", "lib.src.a"),
        ("a.py", "project", "project.a"),
        ("__init__.py", "project", "project"),
        ("lib/__init__.py", "project", "project.lib"),
    ],
)
def test_the_name_by_which_a_file_is_imported(path: str, top: str, name: str) -> None:
    assert module_name(path, top) == name


NESTED = """\
x = 1

@decorated
def f():
    def inner(): pass

if x:
    def g(): pass
else:
    def h(): pass

class A(B, metaclass=M):
    async def m(self): pass

    class I:
        def n(self): pass
"""


def test_functions_and_methods_are_units_with_their_lines_and_the_module_is_the_first() -> None:
    found = [(item.name, item.line) for item in read(NESTED).units]
    methods = [("lib.a.A.m", 13), ("lib.a.A.I.n", 16)]
    assert found[0] == ("lib.a", 1)
    assert sorted(found[1:]) == sorted([("lib.a.f", 4), ("lib.a.g", 8), ("lib.a.h", 10), *methods])


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("x = 1", "lib.a"),
        ("@decorated", "lib.a"),
        ("def f", "lib.a.f"),
        ("inner", "lib.a.f"),
        ("if x:", "lib.a"),
        ("else:", "lib.a"),
        ("class A", "lib.a"),
        ("async def m", "lib.a.A.m"),
        ("def n", "lib.a.A.I.n"),
    ],
)
def test_a_place_is_in_the_innermost_unit_around_it(place: str, name: str) -> None:
    assert read(NESTED).unit_at(NESTED.index(place)).name == name


def test_a_unit_ends_before_what_follows_it_and_the_module_holds_even_its_end() -> None:
    file = read(NESTED)
    (f,) = [item for item in file.units if item.name == "lib.a.f"]
    assert NESTED[f.start : f.end] == "def f():\n    def inner(): pass"
    assert [file.unit_at(offset).name for offset in (f.start - 1, f.start, f.end - 1, f.end)] == [
        "lib.a",
        "lib.a.f",
        "lib.a.f",
        "lib.a",
    ]
    assert [file.unit_at(offset).name for offset in (0, len(NESTED))] == ["lib.a", "lib.a"]
    assert read("").unit_at(0).name == "lib.a"


def test_classes_with_those_of_their_bases_that_may_be_the_projects() -> None:
    text = f"{HEAD}class K(Own, C, c.Base, np.ndarray, metaclass=M):\n    class L: pass\n"
    assert read(text).classes == {
        "lib.a.Own": frozenset(),
        "lib.a.K": {"lib.a.Own", "lib.b.C", "lib.c.Base"},
        "lib.a.K.L": frozenset(),
    }


@pytest.mark.parametrize(
    ("body", "uses"),
    [
        ("g(x)", {"lib.b.g"}),
        ("return g", {"lib.b.g"}),
        ("c.h(x)", {"lib.c.h"}),
        ("own()", {"lib.a.own"}),
        ("Own.m(x)", {"lib.a.Own.m"}),
        ("o = Own()\n    o.m()", {"lib.a.Own", "lib.a.Own.m"}),
        ("o = Own()\n    o.m.n()", {"lib.a.Own", "lib.a.Own.m"}),
        ("o = Own()\n    o(x)", {"lib.a.Own", "lib.a.Own.forward"}),
        ("o: Own = C(x)\n    o.run(x)", {"lib.a.Own", "lib.b.C", "lib.b.C.run"}),
        ("o = c.D(x)\n    o.run(x)", {"lib.c.D", "lib.c.D.run"}),
        ("o = c.D(x)\n    o.net.run(x)", {"lib.c.D", "lib.c.D.net"}),
        ("o = C(x)\n    o = g(x)\n    o.run(x)", {"lib.b.C", "lib.b.g"}),
        ("o = C\n    o.run(x)", {"lib.b.C"}),
        ("return isinstance(x, C)", set()),
        ("return issubclass(g(x), (C, Own))", {"lib.b.g"}),
        ("return other(x, C)", {"lib.b.C"}),
        ("g = x\n    g(1)", set()),
        ("np.sum(x)", set()),
        ("x.g()", set()),
        ("self.m()", set()),
        ("if __name__ == '__main__':\n        g(x)", {"lib.b.g"}),
        ("def inner():\n        g(x)", {"lib.b.g"}),
    ],
)
def test_what_a_function_calls_or_hands_on(body: str, uses: set[str]) -> None:
    assert unit(f"{HEAD}def f(x):\n    {body}\n", "lib.a.f").uses == uses


@pytest.mark.parametrize(
    ("body", "uses"),
    [
        ("self.m()", {"lib.a.Own.m"}),
        ("cls.m()", {"lib.a.Own.m"}),
        ("self.net.run()", {"lib.a.Own.net"}),
        ("return self", set()),
        ("m()", set()),
    ],
)
def test_what_a_method_uses_of_its_object(body: str, uses: set[str]) -> None:
    text = f"class Own:\n    def m(self): pass\n    def f(self, cls):\n        {body}\n"
    assert unit(text, "lib.a.Own.f").uses == uses


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("g(1)", {"lib.b.g"}),
        ("value = c.h(1)", {"lib.c.h"}),
        ("TABLE = [g, own]", set()),
        ("own(g)", {"lib.a.own"}),
        ("@g\ndef h(): own()", {"lib.b.g"}),
        ("@g(1)\ndef h(): pass", {"lib.b.g"}),
        ("@c.h\nclass K(C):\n    x = own()", {"lib.c.h", "lib.a.own"}),
        ("if x:\n    g(1)", {"lib.b.g"}),
        ("if __name__ == '__main__':\n    g(1)", set()),
        ("if __name__ == '__main__':\n    g(1)\nelse:\n    own(1)", {"lib.b.g", "lib.a.own"}),
        ("if __name__ != '__main__':\n    g(1)", {"lib.b.g"}),
        ("if __name__ == 'main':\n    g(1)", {"lib.b.g"}),
        ("if name == '__main__':\n    g(1)", {"lib.b.g"}),
        ("if __name__:\n    g('__main__ ==')", {"lib.b.g"}),
    ],
)
def test_what_a_module_runs_when_it_is_imported(code: str, uses: set[str]) -> None:
    assert unit(f"{HEAD}{code}\n", "lib.a").uses == uses


def test_what_a_module_runs_as_a_program_only_is_a_unit_of_its_own() -> None:
    text = f"{HEAD}own()\nif '__main__' == __name__:\n    from lib.d import e\n    g([own])\n"
    file = read(text)
    (script,) = [item for item in file.units if item.name not in ("lib.a", "lib.a.own", "lib.a.Own.m")]
    assert (script.uses, script.line) == ({"lib.b.g"}, 11)
    assert text[script.start : script.end] == text[text.index("if '__main__'") :].rstrip()
    assert file.units[0].uses == {"lib.a.own"}
    assert "lib.d.e" not in file.units[0].imports
    assert file.units[0].imports == {"lib.b.g", "lib.b.C", "lib.c", "numpy"}


def test_imports_within_functions_are_none_of_the_module() -> None:
    text = "try:\n    import lib.b\nexcept ImportError:\n    from lib import c\ndef f():\n    import lib.d\n"
    assert read(text).units[0].imports == {"lib.b", "lib.c"}


@pytest.mark.parametrize(
    ("path", "top", "expected"),
    [
        ("lib/a.py", "", "lib.b.g"),
        ("src/lib/a.py", "", "lib.b.g"),
        ("lib/__init__.py", "", "lib.b.g"),
        ("a.py", "project", "project.b.g"),
        ("sub/a.py", "project", "project.sub.b.g"),
    ],
)
def test_a_relative_import_is_of_the_package_around_the_file(path: str, top: str, expected: str) -> None:
    file = read("from .b import g\nfrom .b import *\ng(1)\n", path, top)
    assert file.aliases == {"g": expected}
    assert file.stars == (expected.removesuffix(".g"),)
    assert file.units[0].uses == {expected}


def test_names_of_the_project_itself() -> None:
    assert read("from . import b\n", "a.py", "project").aliases == {"b": "project.b"}
    assert read("from . import *\n", "a.py", "project").stars == ("project",)


ALIASES = f"{HEAD}x: int\nx.y = g\npool = g\nnames = np.sum\ng = own\npool = own\ncount = 1\ng()\n"


def test_what_the_names_of_a_module_stand_for_and_which_of_them_are_for_others() -> None:
    """An import is for the module itself, but in a package; what a name is given is for everybody."""
    imported = {"g": "lib.b.g", "C": "lib.b.C", "c": "lib.c", "np": "numpy"}
    file = read(ALIASES)
    assert file.aliases == {**imported, "pool": "lib.b.g"}
    assert file.exports == {"pool", "g"}
    package = read(f"{HEAD}pool = own\n", "lib/__init__.py")
    assert package.aliases == {**imported, "pool": "lib.own"}
    assert package.exports == {"pool", *imported}
