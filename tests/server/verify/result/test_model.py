"""When a run passed, and what is true of one that did not: from the steps of its ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.verify.result.model import Comparison, FileCoverage, RankResult, VerifyResult
from gpu2ascend.verify.running.supervise import Ending
from tests.server.verify.results import FAILURE, made_up

SAME = Comparison(original=(0.5,), migrated=(0.5,), first_difference=None, is_same=True)
DIFFERENT = Comparison(original=(0.5,), migrated=(0.7,), first_difference=0, is_same=False)


def ranks(*steps: int, on_cpu: int = 0, losses: tuple[float, ...] = ()) -> tuple[RankResult, ...]:
    return tuple(RankResult(rank, made, losses, "", on_cpu) for rank, made in enumerate(steps))


def result(**changes: Any) -> VerifyResult:
    return made_up(Path("/project"), **changes)


@pytest.mark.parametrize(
    ("steps", "asked", "expected"),
    [((3,), 1, 3), ((3, 2), 2, 2), ((3,), 2, 0), ((), 1, 0), ((4, 4, 4), 2, 4)],
)
def test_steps_are_those_that_every_rank_made(steps: tuple[int, ...], asked: int, expected: int) -> None:
    assert result(ranks=ranks(*steps), asked_ranks=asked).steps == expected


@pytest.mark.parametrize(
    ("changes", "passes"),
    [
        pytest.param({}, True, id="as many steps as were asked for"),
        pytest.param({"ranks": ranks(5)}, True, id="more"),
        pytest.param({"ranks": ranks(2)}, False, id="fewer"),
        pytest.param({"ending": Ending.EXITED}, False, id="ended before"),
        pytest.param({"ending": Ending.TIMEOUT}, False, id="no end"),
        pytest.param({"comparison": SAME}, True, id="the same losses"),
        pytest.param({"comparison": DIFFERENT}, False, id="other losses"),
        pytest.param({"codes": (1,)}, True, id="the steps were made before it was ended"),
    ],
)
def test_a_run_passes_with_its_steps_and_the_same_losses(changes: dict[str, Any], passes: bool) -> None:
    made = result(**changes)
    assert (made.is_passed, made.exit_code) == (passes, 0 if passes else 1)


@pytest.mark.parametrize(
    ("made", "on_cpu", "expected"),
    [
        ((3,), 3, True),
        ((3,), 2, False),
        ((3,), 0, False),
        ((0,), 0, False),
        ((3, 3), 3, True),
        ((), 0, False),
    ],
)
def test_all_on_the_cpu_is_said_of_runs_with_steps_alone(
    made: tuple[int, ...], on_cpu: int, expected: bool
) -> None:
    found = result(ranks=ranks(*made, on_cpu=on_cpu))
    assert found.is_on_cpu == expected
    assert found.steps_on_cpu == on_cpu * len(made)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (ranks(0, losses=(0.5,)), True),
        (ranks(1, losses=(0.5,)), False),
        (ranks(0), False),
        ((*ranks(1), RankResult(1, 0, (0.5,), "")), False),
        ((), False),
    ],
)
def test_losses_without_a_step_mean_no_optimizer(made: tuple[RankResult, ...], expected: bool) -> None:
    assert result(ranks=made).has_no_optimizer == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ending": Ending.EXITED}, True),
        ({"ending": Ending.DONE}, False),
        ({"ending": Ending.EXITED, "codes": (0, 1)}, False),
        ({"ending": Ending.EXITED, "codes": (None, 0)}, True),
        ({"ending": Ending.EXITED, "failure": FAILURE}, False),
    ],
)
def test_a_program_just_ended_where_nothing_failed(changes: dict[str, Any], expected: bool) -> None:
    assert result(**changes).has_just_ended == expected


def test_lines_that_ran_are_counted_over_all_files() -> None:
    files = (FileCoverage("a.py", 9, (4, 5, 7)), FileCoverage("b.py", 3, ()))
    assert result(coverage=files).coverage_counts == {"ran": 12, "lines": 15}
    assert result(coverage=()).coverage_counts == {"ran": 0, "lines": 0}


def test_losses_are_those_of_the_first_rank() -> None:
    both = (*ranks(3, losses=(0.5, 0.25)), *ranks(3, losses=(9.0,)))
    assert result(ranks=both).losses == (0.5, 0.25)
    assert result(ranks=()).losses == ()
