"""A test of many cases fails for each that fails, and names it."""

from __future__ import annotations

import pytest

from tests.cases import every_case


def examine(*numbers: int) -> list[int]:
    """Examine numbers, of which those above 9 fail; gives those that were examined."""
    seen = []
    with every_case() as case:
        for number in numbers:
            with case(f"number-{number}"):
                seen.append(number)
                assert number < 10, "too large"
    return seen


def test_without_a_failure_every_case_is_examined() -> None:
    assert examine(1, 2, 3) == [1, 2, 3]


def test_every_failure_is_named_with_its_place_and_its_reason() -> None:
    with pytest.raises(AssertionError) as failed:
        examine(1, 20, 3, 30)
    said = str(failed.value)
    assert said.startswith("2 of 4 cases fail: number-20, number-30\n--- number-20\n")
    assert "AssertionError: too large" in said
    assert "assert number < 10" in said


def test_a_case_that_gives_up_has_failed() -> None:
    with pytest.raises(AssertionError, match="1 of 1 cases fail: one"), every_case() as case, case("one"):
        pytest.fail("given up")


def test_of_many_failures_all_are_named_and_some_are_shown() -> None:
    with pytest.raises(AssertionError) as failed:
        examine(*range(10, 40))
    assert "number-39" in str(failed.value).splitlines()[0]
    assert str(failed.value).count("\n--- ") == 10


def test_no_case_at_all_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="there is no case"):
        examine()


def test_what_stops_the_run_is_not_a_failure_of_a_case() -> None:
    with pytest.raises(KeyboardInterrupt), every_case() as case, case("one"):
        raise KeyboardInterrupt
