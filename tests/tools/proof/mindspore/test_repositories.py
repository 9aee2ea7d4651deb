"""Files of public repositories, trained beside what they were: the table of both pages."""

from __future__ import annotations

import numpy as np
import pytest

from tools.proof.mindspore.repositories.converting import EQUAL, OLD, REFUSED, ROUNDED, Outcome
from tools.proof.mindspore.repositories.page import LANGUAGES, Language, read, said, table
from tools.proof.mindspore.repositories.side import given_to, weights_of
from tools.proof.mindspore.repositories.sources import files

ENGLISH, CHINESE = LANGUAGES
UPDATE = (
    "`x` is updated in place, but another variable may refer to the same tensor and would keep the old value "
    "in MindSpore: write `x = x + ...`"
)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.page.name)
def test_the_pages_have_the_table_of_the_last_runs(language: Language) -> None:
    assert table(read(), language) in language.page.read_text(encoding="utf-8")


def test_at_least_sixty_files_are_equal_or_refused_with_a_cause_and_none_is_wrong() -> None:
    found = [one for one in read() if one.outcome != OLD]
    assert {one.outcome for one in found} == {EQUAL, ROUNDED, REFUSED}
    assert len(found) >= 60 and sum(one.outcome == EQUAL for one in found) >= 30
    assert all(one.updates >= 2 or one.apart < 1e-3 for one in found if one.outcome != REFUSED)
    assert all(one.reasons for one in found if one.outcome == REFUSED)
    listed = {(one.repository, one.commit, one.path) for one in files()}
    assert {(one.repository, one.commit, one.path) for one in found} <= listed


def test_a_line_says_what_became_of_a_file() -> None:
    found = [
        Outcome("a/b", "0123456789abcdef", "one.py", EQUAL, 4, 3e-7, [], ""),
        Outcome("a/b", "0123456789abcdef", "two.py", REFUSED, 0, 0.0, [UPDATE, "another"], ""),
        Outcome("a/b", "0123456789abcdef", "three.py", OLD, 0, 0.0, [], "raises in PyTorch, too"),
    ]
    lines = table(found, ENGLISH).splitlines()
    assert lines[0].startswith("2 files of 1 repositories: 1 equal, 0 equal but for rounding, 1 refused, 0 ")
    assert lines[-3:-1] == ["| **a/b** 0123456789ab | | | |", "| `one.py` | equal | 4 | 3e-07 |"]
    assert lines[-1].startswith("| `two.py` | refused |  | `x` is updated in place, but")
    assert lines[-1].endswith(" (+1) |")


def test_a_cause_is_said_in_the_language_of_the_page() -> None:
    assert said(UPDATE, "en") == UPDATE
    assert said(UPDATE, "zh") != UPDATE and "`x = x + ...`" in said(UPDATE, "zh")
    assert said("something else", "zh") == "something else"
    assert "| `two.py` | 未转换 |" in table(
        [Outcome("a/b", "0", "two.py", REFUSED, 0, 0.0, [UPDATE], "")], CHINESE
    )


def test_a_parameter_begins_with_the_same_under_both_names() -> None:
    first = weights_of("Linear", "weight", (3, 2))
    assert np.array_equal(first, weights_of("Dense", "weight", (3, 2)))
    assert np.array_equal(weights_of("Net", "bn.weight", (3,)), weights_of("Net", "bn.gamma", (3,)))
    assert not np.array_equal(first, weights_of("Net", "weight", (3, 2)))


def test_what_a_model_is_given_is_written_as_shapes() -> None:
    floats, numbers = given_to("2x3 5:4")
    assert floats.shape == (2, 3) and floats.dtype == np.float32
    assert numbers.shape == (4,) and numbers.dtype == np.int64 and numbers.max() < 5
