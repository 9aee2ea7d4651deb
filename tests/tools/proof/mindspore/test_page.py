"""The table of the packages' files in both pages."""

from __future__ import annotations

import pytest

from tools.proof.mindspore.converting import BROKEN, DONE, FINDINGS, LEFT, STOPPED, Outcome
from tools.proof.mindspore.packages import packages
from tools.proof.mindspore.page import ENGLISH, LANGUAGES, Language, read, table, with_table


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.page.name)
def test_the_pages_have_the_table_of_the_last_run(language: Language) -> None:
    text = language.page.read_text(encoding="utf-8")
    assert with_table(text, read(), language) == text
    assert table(read(), language) in text


def test_the_last_run_was_of_all_packages_and_of_enough_files() -> None:
    found = read()
    converted = [one for one in found if one.outcome in (DONE, FINDINGS)]
    assert {one.package for one in found} == {one.title for one in packages()}
    assert len(converted) >= 60
    assert [one.file for one in found if one.outcome == BROKEN] == []
    assert all(one.reasons for one in found if one.outcome == LEFT)
    assert all(one.unverified or one.beside for one in found if one.outcome == FINDINGS)


def test_a_line_says_what_became_of_a_file_and_why() -> None:
    found = [
        Outcome("p 1", "p/a.py", DONE, [], [], []),
        Outcome("p 1", "p/b.py", FINDINGS, ["torch.x"], ["p/c.py"], []),
        Outcome("p 1", "p/c.py", LEFT, [], [], ["torch.a", "torch.b", "torch.c", "torch.d"]),
    ]
    lines = table(found, ENGLISH).splitlines()
    assert lines[0].startswith("3 files that use torch, of 1 packages: 1 done, 1 done with findings, 1 left")
    assert lines[-3] == "| `p/a.py` | done |  |"
    assert lines[-2].endswith("| not compared by running: `torch.x`; imports files that stay: `p/c.py` |")
    assert lines[-1] == "| `p/c.py` | left as torch | `torch.a`, `torch.b`, `torch.c` (+1) |"


def test_a_project_that_was_refused_has_the_reason() -> None:
    found = [
        Outcome("p 1", "p/a.py", DONE, [], [], []),
        Outcome("q 1", "q/b.py", STOPPED, [], [], [], "timm works with tensors"),
    ]
    for language in LANGUAGES:
        lines = table(found, language).splitlines()
        assert lines[0].endswith(language.stopped.format(stopped=1))
        assert lines[-1] == f"| `q/b.py` | {language.outcomes[STOPPED]} | timm works with tensors |"
    assert table(found, ENGLISH).startswith("1 files that use torch, of 1 packages: 1 done")


def test_a_new_table_takes_the_place_of_the_last() -> None:
    done = [Outcome("p 1", "p/a.py", DONE, [], [], [])]
    page = with_table("before\n", done, ENGLISH) + "behind\n"
    again = with_table(page, [*done, Outcome("p 1", "p/b.py", DONE, [], [], [])], ENGLISH)
    assert again.startswith("before\n") and again.endswith("behind\n")
    assert again.count("p/a.py") == 1 and again.count("p/b.py") == 1
