"""A test by which nothing is found has a control beside it, by which something is."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from textwrap import dedent

import pytest

from tests.one_sided import never_run, one_sided

HERE = Path(__file__).parent
INDENTED = re.compile(r"^\s+(async )?def test_", re.MULTILINE)
FILES = [path for path in sorted(HERE.rglob("test_*.py")) if "samples" not in path.parts]
ALLOWED = {
    "realworld/test_packages.py::test_every_name_that_was_written_exists": (
        "The list holds what is wrong in whole packages; another test of the file asks for changed files, "
        "and those of the table of names show that it separates names that exist from others"
    )
}
"""Tests without a control, each with the reason why it needs none."""


def uncontrolled(code: str) -> list[str]:
    return [test.name for test in one_sided(ast.parse(dedent(code)))]


def test_no_test_asserts_absence_alone() -> None:
    found = {
        f"{path.relative_to(HERE).as_posix()}::{test.name}": f"line {test.line}, of {sorted(test.subjects)}"
        for path in FILES
        for test in one_sided(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert {name: place for name, place in found.items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() <= found.keys(), "a test that has a control by now is listed no longer"


@pytest.mark.parametrize(
    "assertion",
    [
        "found(1) == []",
        "found(1) == ()",
        "[] == found(1)",
        "found(1) is None",
        "found(1) == set()",
        "not found(1)",
        "not any(x for x in found(1))",
        "'a' not in found(1)",
        "found(1) != 'a'",
        "found(1) == [] and 'a' not in found(2)",
        "all(x not in y for x in found(1))",
        "sorted(found(1)) == []",
        "[x for x in found(1) if x] == []",
        "found(1).codes == []",
        "found(text(1)) == []",
    ],
)
def test_absence_alone_is_noticed(assertion: str) -> None:
    assert uncontrolled(f"def test_a():\n    assert {assertion}\n") == ["test_a"]


@pytest.mark.parametrize(
    "body",
    [
        "result = found(1)\nassert result == []",
        "for item in (1, 2):\n    assert not found(item)",
        "with found(1) as result:\n    assert result is None",
    ],
)
def test_a_variable_hides_no_subject(body: str) -> None:
    lines = body.replace("\n", "\n    ")
    assert uncontrolled(f"def test_a():\n    {lines}\n") == ["test_a"]


NEGATIVE = "def test_a():\n    assert found(1) == []\n"


@pytest.mark.parametrize(
    "control",
    [
        "assert found(2) == ['x']",
        "assert 'x' in found(2)",
        "assert found(2)",
        "assert len(found(2)) == 1",
        "assert joined(found(2)) == 'x'",
        "result = found(2)\n    assert result == ['x']",
        "(item,) = found(2)",
    ],
)
def test_a_neighbour_that_finds_something_is_a_control(control: str) -> None:
    assert uncontrolled(f"{NEGATIVE}def test_b():\n    {control}\n") == []


@pytest.mark.parametrize(
    "other", ["assert another(2) == ['x']", "assert found(2) == []", "assert len([1]) == 1"]
)
def test_a_neighbour_that_says_nothing_of_the_subject_is_none(other: str) -> None:
    assert "test_a" in uncontrolled(f"{NEGATIVE}def test_b():\n    {other}\n")


def test_what_makes_the_argument_is_no_subject() -> None:
    code = """
        def test_a():
            assert check(source(1)) == []
        def test_b():
            assert source(2) == 'x'
    """
    assert uncontrolled(code) == ["test_a"]


@pytest.mark.parametrize(
    "body",
    [
        "assert found_before(CONTROL, 'x', found) == []",
        "assert found_beside_control('x') == []",
        "with pytest.raises(ValueError):\n        found(1)\n    assert found(2) is None",
        "assert found(1) == ['x']",
    ],
)
def test_what_cannot_pass_unexamined_needs_no_neighbour(body: str) -> None:
    assert uncontrolled(f"def test_a():\n    {body}\n") == []


def test_no_test_stands_where_it_never_runs() -> None:
    code = "def test_a():\n    def test_b(): ...\nclass C:\n    def test_c(self): ...\n"
    assert list(never_run(ast.parse(code))) == ["test_b"]
    hidden = [
        f"{path.relative_to(HERE).as_posix()}::{name}"
        for path in FILES
        if INDENTED.search(text := path.read_text(encoding="utf-8"))
        for name in never_run(ast.parse(text))
    ]
    assert hidden == []
