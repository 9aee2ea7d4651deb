"""A run of some packages keeps what is known of the others."""

from __future__ import annotations

from tools.proof.mindspore.__main__ import merged
from tools.proof.mindspore.converting import DONE, Outcome
from tools.proof.mindspore.page import read


def test_the_outcomes_of_other_packages_stay() -> None:
    first = read()[0].package
    new = Outcome(first, "new.py", DONE, [], [], [])
    found = merged([new])
    assert [one for one in found if one.package == first] == [new]
    assert [one for one in found if one.package != first] == [one for one in read() if one.package != first]
