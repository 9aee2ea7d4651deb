"""A commit and the working tree answer the same tasks, each with its own modules."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.tools.compare.repositories import PRODUCT, commit, write
from tools.compare.sides import WORKER, SideError, answers, checked_out, working_tree

ECHO = """\
import sys
from product import NAME
for line in sys.stdin:
    print(NAME, line.strip(), flush=True)
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    commit(root, "NAME = 'committed'\n", ECHO)
    return root


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "checkout").mkdir()
    return tmp_path / "checkout"


def answered(root: Path, checkout: Path, *tasks: str) -> list[tuple[str, str]]:
    with closing(answers(checked_out(root, "HEAD", checkout), working_tree(root), list(tasks))) as both:
        return [(base.strip(), head.strip()) for base, head in both]


def test_each_side_has_its_own_modules(repository: Path, checkout: Path) -> None:
    write(repository, PRODUCT, "NAME = 'changed'\n")
    assert answered(repository, checkout, "a", "b") == [
        ("committed a", "changed a"),
        ("committed b", "changed b"),
    ]


def test_both_are_examined_by_the_worker_of_the_working_tree(repository: Path, checkout: Path) -> None:
    write(repository, WORKER, ECHO.replace("line.strip()", "line.upper().strip()"))
    assert answered(repository, checkout, "a") == [("committed A", "committed A")]


def test_a_commit_that_it_cannot_import_is_examined_by_its_own(repository: Path, checkout: Path) -> None:
    write(repository, PRODUCT, "TITLE = 'changed'\n")
    write(repository, WORKER, ECHO.replace("NAME", "TITLE"))
    assert answered(repository, checkout, "a") == [("committed a", "changed a")]


def test_a_commit_that_no_worker_can_import_is_refused_with_the_reasons(
    repository: Path, checkout: Path
) -> None:
    commit(repository, "", ECHO)
    write(repository, WORKER, ECHO.replace("NAME", "TITLE"))
    with pytest.raises(SideError, match=r"(?s)cannot import name 'TITLE'.*cannot import name 'NAME'"):
        checked_out(repository, "HEAD", checkout)


def test_what_is_no_commit_is_refused(repository: Path, checkout: Path) -> None:
    with pytest.raises(SideError, match="cannot check out nothing"):
        checked_out(repository, "nothing", checkout)


def test_a_worker_that_dies_is_an_error_with_its_last_words(repository: Path, checkout: Path) -> None:
    dying = ECHO + "    if 'b' in line: raise SystemExit('out of ideas')\n"
    write(repository, WORKER, dying)
    with pytest.raises(SideError, match="out of ideas"):
        answered(repository, checkout, "a", "b", "c")
