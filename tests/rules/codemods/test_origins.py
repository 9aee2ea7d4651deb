"""Where a value of a program comes from, in whatever file that is."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.origins import Origins
from gpu2ascend_rules.codemods.program import Place, Program
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.text.source_file import SourceFile


class Files(Standalone):
    """A project of a few files in one folder."""

    def __init__(self, **texts: str) -> None:
        self._texts = texts

    def has_module(self, importer_path: str, module: str) -> bool:
        return module in self._texts

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return (f"{module}.py", self._texts[module]) if module in self._texts else None


def origins(entry: str, stop: str = "", **others: str) -> list[str]:
    """The origins of ``PROBE`` in ``use(PROBE)``, as written; a walk ends at ``stop``."""
    source = SourceFile(entry, "main.py")
    program = Program(source, Files(**others))
    call = next(node for node in program.nodes(source, "call") if source.text_of(node).startswith("use("))
    (argument,) = call.child_by_field_name("arguments").named_children  # type: ignore[union-attr]
    found = Origins(program).of(Place(source, argument), lambda place: place.text == stop)
    return [place.text for place in found]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("x = make()\nuse(x)", ["make()"]),
        ("x = a() if c else b()\nuse(x)", ["a()", "b()"]),
        ("x = a() or b()\nuse(x)", ["a()", "b()"]),
        ("x = make()\nx = x.cuda()\nuse(x)", ["make()"]),
        ("x = x.cuda()\nuse(x)", []),
        ("def f(n):\n    use(n)\nf(make())\nf(n=other())", ["make()", "other()"]),
        ("def f(n=make()):\n    use(n)", ["make()"]),
        ("def f(n: Net):\n    use(n)", ["n"]),
        ("def f():\n    return make()\nuse(f())", ["make()"]),
        ("def f():\n    return a(), b()\nx, y = f()\nuse(y)", ["b()"]),
        ("def f():\n    pair = a(), b()\n    return pair\nx, y = f()\nuse(y)", ["b()"]),
        ("x, y = a(), b()\nuse(x)", ["a()"]),
        ("x, y = unknown()\nuse(x)", ["x"]),
        ("d = {'k': a(), 'l': b()}\nuse(d['l'])", ["b()"]),
        ("d = {'k': a(), 'l': b()}\nuse(d[name])", ["a()", "b()"]),
        (
            "class C:\n    def f(self):\n        self.n = make()\n    def g(self):\n        use(self.n)",
            ["make()"],
        ),
        ("class C: pass\nc = C()\nc.n = make()\nuse(c.n)", ["make()"]),
        ("x = enumerate(tqdm(make()))\nuse(x)", ["tqdm(make())"]),
        ("for x in items:\n    use(x)", ["x"]),
        ("for i, (x, y) in enumerate(zip([a()], (b(), c()))):\n    use(y)", ["b()", "c()"]),
        ("d = dict(k=a(), l=b())\nuse(d['l'])", ["b()"]),
        ("def f(n, **d):\n    use(d['k'])\nf(c(), k=a(), l=b())", ["a()"]),
        ("def f(**d):\n    for x in d.values():\n        use(x)\nf(k=a(), **{'l': b()})", ["a()", "b()"]),
        ("def f(*xs):\n    for x in xs:\n        use(x)\nf(a(), b(), k=c())", ["a()", "b()"]),
    ],
)
def test_the_origins_of_a_value_in_its_file(entry: str, expected: list[str]) -> None:
    assert origins(entry) == expected


def test_a_value_is_followed_into_the_file_that_it_is_imported_from() -> None:
    assert origins("from lib import x\nuse(x)", lib="y = make()\nx = y.cuda()\n") == ["make()"]


def test_a_value_is_followed_through_a_function_of_another_file() -> None:
    assert origins("from lib import f\nuse(f())", lib="def f():\n    return make()\n") == ["make()"]


def test_a_value_is_followed_to_a_call_in_another_file_that_imports_this_one() -> None:
    entry = "import lib\ndef f(n):\n    use(n)\n"
    assert origins(entry, lib="from main import f\ny = make()\nf(y)\n", main=entry) == ["make()"]


def test_files_that_get_a_value_from_each_other_end_the_walk() -> None:
    entry = "from lib import y\nx = y\nuse(x)\n"
    assert origins(entry, lib="from main import x\ny = x\n", main=entry) == []


@pytest.mark.parametrize(
    ("iterable", "expected"),
    [
        ("make()", ["make()"]),
        ("enumerate(make())", ["make()"]),
        ("enumerate(make(), start=first)", ["make()"]),
        ("tqdm.tqdm(iterable=make(), total=many)", ["make()"]),
        ("zip(make(), other())", ["make()", "other()"]),
        ("enumerate(tqdm.tqdm(make(), desc='a'), start=1)", ["make()"]),
    ],
)
def test_what_is_gone_through_inside_what_counts_and_shows(iterable: str, expected: list[str]) -> None:
    source = SourceFile(f"import tqdm\nuse({iterable})", "main.py")
    program = Program(source, Files())
    call = next(node for node in program.nodes(source, "call") if source.text_of(node).startswith("use("))
    (argument,) = call.child_by_field_name("arguments").named_children  # type: ignore[union-attr]
    assert [place.text for place in Origins(program).iterables(Place(source, argument))] == expected


def test_a_walk_ends_where_it_is_told_to() -> None:
    assert origins("x = make()\ny = x\nuse(y)", stop="x") == ["x"]


def test_a_loop_goes_through_what_a_method_gives_of_an_object_that_a_function_is_given() -> None:
    text = """
def fit(data):
    for i, x in enumerate(data.batches()):
        pass
class Data:
    def batches(self):
        return DataLoader(self.items)
fit(Data())
"""
    program = Program(SourceFile(text, "main.py"), Files())
    loop = next(program.places("for_statement"))
    iterable = Place(loop.file, loop.node.child_by_field_name("right"))  # type: ignore[arg-type]
    assert [place.text for place in Origins(program).of_batches(iterable)] == ["DataLoader(self.items)"]
