"""A module that is imported does what another text of it says, or it is said that only an import shows it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tools.mutants.swapping import ImportChanges, put_in

OLD = """\
LIMIT = 3

def kept(function):
    def called(*arguments):
        return function(*arguments)
    return called

@kept
def decorated(x):
    return x + 1

class Counter:
    start = 0

    def next(self, by=1):
        return [self.start + i * by for i in range(LIMIT)]

    @property
    def first(self):
        return self.next()[0]

twice = lambda x: x * 2
"""


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    path = tmp_path / "swapped_module.py"
    path.write_text(OLD)
    spec = importlib.util.spec_from_file_location("swapped_module", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["swapped_module"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["swapped_module"]


@pytest.mark.parametrize(
    ("before", "after", "result", "expected"),
    [
        pytest.param("x + 1", "x - 1", lambda m: m.decorated(5), 4, id="a decorated function"),
        pytest.param(
            "i * by", "i + by", lambda m: m.Counter().next(), [1, 2, 3], id="a nested comprehension"
        ),
        pytest.param("[0]", "[1]", lambda m: m.Counter().first, 1, id="a property"),
        pytest.param("x * 2", "x * 3", lambda m: m.twice(5), 15, id="a lambda"),
        pytest.param("(*arguments)\n", "(1)\n", lambda m: m.decorated(5), 2, id="what a decorator returns"),
        pytest.param("class C", "\n\nclass C", lambda m: m.Counter().first, 0, id="moved lines"),
    ],
)
def test_what_a_function_does_is_swapped(
    module: ModuleType, before: str, after: str, result: Callable[[ModuleType], object], expected: object
) -> None:
    changed = OLD.replace(before, after)
    assert changed != OLD
    put_in(Path(str(module.__file__)), OLD, changed)
    assert result(module) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("LIMIT = 3", "LIMIT = 4", id="a constant"),
        pytest.param("start = 0", "start = False", id="an attribute of a class, equal in value"),
        pytest.param("by=1", "by=2", id="a default"),
        pytest.param("@kept\n", "", id="a decorator"),
        pytest.param("class Counter:", "class Counter(int):", id="a base"),
    ],
)
def test_what_runs_at_import_is_refused(module: ModuleType, before: str, after: str) -> None:
    changed = OLD.replace(before, after)
    assert changed != OLD
    with pytest.raises(ImportChanges):
        put_in(Path(str(module.__file__)), OLD, changed)


def test_a_module_that_is_not_imported_is_left_to_who_imports_it(tmp_path: Path) -> None:
    put_in(tmp_path / "elsewhere.py", OLD, OLD.replace("LIMIT = 3", "LIMIT = 4"))
