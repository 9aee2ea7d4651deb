"""Neighbours below the same header of ours are put together; what the authors wrote stays as it is."""

from __future__ import annotations

from typing import Any

import libcst as cst
import pytest

from gpu2ascend_rules.codemods.guarded import joined_condition, merged_guards, under, without_marks

HEADER = "if is_main():"


def guarded(text: str, lines: tuple[int, ...]) -> tuple[cst.Module, list[Any]]:
    """A module, and its statements, of which those of some numbers are below the header."""
    module = cst.parse_module(text)
    body = [under(item, HEADER, module) if at in lines else item for at, item in enumerate(module.body)]
    return module, body


def merged(text: str, *lines: int) -> str:
    """A text whose statements of these numbers are below the header, as it is written."""
    module, body = guarded(text, lines)
    return without_marks(module.with_changes(body=merged_guards(body)).code)


def test_neighbours_share_a_header() -> None:
    assert merged("a()\nb()\nc()\n", 0, 1) == f"{HEADER}\n    a()\n    b()\nc()\n"
    assert merged("a()\nb()\nc()\nd()\n", 1, 2, 3) == f"a()\n{HEADER}\n    b()\n    c()\n    d()\n"


def test_what_stands_apart_has_a_header_of_its_own() -> None:
    assert merged("a()\nb()\nc()\n", 0, 2) == f"{HEADER}\n    a()\nb()\n{HEADER}\n    c()\n"


@pytest.mark.parametrize("given", [HEADER, "if other:", "with lock:"])
def test_a_statement_of_the_authors_takes_nothing_in(given: str) -> None:
    assert merged(f"{given}\n    a()\nb()\n", 1) == f"{given}\n    a()\n{HEADER}\n    b()\n"
    assert merged(f"b()\n{given}\n    a()\n", 0) == f"{HEADER}\n    b()\n{given}\n    a()\n"


def test_comments_and_empty_lines_stay_above_their_statements() -> None:
    text = "# of both\na()\n\n# of b\nb()\n"
    assert merged(text, 0, 1) == f"# of both\n{HEADER}\n    a()\n\n    # of b\n    b()\n"


def joined(text: str, *, inner: bool = True) -> str:
    """A condition whose statements are below the header each, as it is written."""
    module = cst.parse_module(text)
    statement = cst.ensure_type(module.body[0], cst.If)
    if inner:
        body = cst.ensure_type(statement.body, cst.IndentedBlock)
        statements = merged_guards([under(item, HEADER, module) for item in body.body])
        statement = statement.with_changes(body=body.with_changes(body=statements))
    return without_marks(module.with_changes(body=[joined_condition(statement, module)]).code)


@pytest.mark.parametrize(
    ("condition", "written"),
    [
        ("a", "a and is_main()"),
        ("a and b", "a and b and is_main()"),
        ("a or b", "(a or b) and is_main()"),
        ("(a or b)", "(a or b) and is_main()"),
        ("a if b else c", "(a if b else c) and is_main()"),
        ("a == b", "a == b and is_main()"),
        ("not a", "not a and is_main()"),
    ],
)
def test_a_condition_around_nothing_but_a_guard_has_it_in_itself(condition: str, written: str) -> None:
    assert joined(f"if {condition}:\n    save()\n") == f"if {written}:\n    save()\n"


APART = {
    "a long condition": f"if {'a' * 70}:\n    {HEADER}\n        save()\n",
    "another branch": f"if a:\n    {HEADER}\n        save()\nelse:\n    go()\n",
    "a comment": f"if a:\n    # why\n    {HEADER}\n        save()\n",
}


@pytest.mark.parametrize("name", APART)
def test_a_condition_stays_apart(name: str) -> None:
    written = APART[name]
    plain = written.replace(f"{HEADER}\n        save()", "save()")
    assert joined(plain) == written


@pytest.mark.parametrize(
    "text",
    [
        f"if a:\n    {HEADER}\n        save()\n",
        "if a:\n    if b:\n        save()\n",
        "if a:\n    with b:\n        save()\n",
        "if a: save()\n",
        "if a:\n    save()\n    go()\n",
    ],
)
def test_conditions_of_the_authors_stay_as_they_are(text: str) -> None:
    assert joined(text, inner=False) == text
