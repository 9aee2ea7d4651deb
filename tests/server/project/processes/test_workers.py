"""The worker pool: in order, on several processes, and whatever happens to one of them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gpu2ascend.project.errors import CancelledError, ProjectError
from gpu2ascend.project.index import survey
from gpu2ascend.project.index.survey import worker_count
from gpu2ascend.project.processes import workers as workers_of_project
from gpu2ascend.project.processes.workers import Ready, Todo, ordered_map
from tests.server.project.jobs import DoesNotStart, Echo, Square, Unreadable

Item = Todo[int] | Ready[tuple[int, bool]]


def numbers(count: int) -> Iterable[Item]:
    return [Todo(number) for number in range(count)]


def squares(job: Square, items: Iterable[Item], workers: int = 2) -> list[int]:
    with closing(ordered_map(job, items, workers)) as results:
        return [value for value, _ in results]


@pytest.fixture(autouse=True)
def no_process_is_left(started: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    yield
    assert all(process.returncode is not None for process in started)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order_with_the_ready_ones_between(workers: int) -> None:
    items: list[Item] = [Todo(3), Ready((-7, False)), Todo(4), Ready((-8, False))]
    assert squares(Square(), items * 100, workers) == [9, -7, 16, -8] * 100


def test_one_worker_is_this_process_and_two_are_others() -> None:
    assert {elsewhere for _, elsewhere in ordered_map(Square(), numbers(5), 1)} == {False}
    assert {elsewhere for _, elsewhere in ordered_map(Square(), numbers(5), 2)} == {True}


@pytest.mark.slow
def test_a_task_that_kills_its_worker_each_time_is_given_up_and_the_others_go_on() -> None:
    job = Square(deadly=frozenset({5, 17}))
    expected = [-number if number in job.deadly else number * number for number in range(40)]
    assert squares(job, numbers(40)) == expected


@pytest.mark.slow
def test_a_worker_killed_from_outside_costs_nothing(tmp_path: Path) -> None:
    job = Square(deadly_once=frozenset({0, 11, 30}), scars=str(tmp_path))
    assert squares(job, numbers(40)) == [number * number for number in range(40)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "11", "30"]


@pytest.mark.slow
def test_what_a_dead_worker_held_is_done_where_all_others_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_of_project, "_WINDOW", 4)
    job = Square(deadly_once=frozenset({0}), scars=str(tmp_path))
    assert squares(job, numbers(40)) == [number * number for number in range(40)]


def test_where_no_process_comes_up_the_work_is_done_here() -> None:
    items: list[Todo[int] | Ready[int]] = [Todo(number) for number in range(20)]
    with closing(ordered_map(DoesNotStart(), items, 2)) as results:
        assert list(results) == list(range(20))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_that_ends_everything_reaches_the_caller(workers: int) -> None:
    with pytest.raises(ProjectError):
        squares(Square(wrong=frozenset({7})), numbers(40), workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_cancelling_ends_everything(workers: int) -> None:
    answers = iter([False] * 10)
    with pytest.raises(CancelledError):
        list(ordered_map(Square(), numbers(1000), workers, lambda: next(answers, True)))


def test_stopping_early_ends_the_processes_at_once(started: list[subprocess.Popen[bytes]]) -> None:
    with closing(ordered_map(Square(), numbers(1000), 2)) as results:
        next(results)
    assert started and all(process.returncode is not None for process in started)


def test_tasks_and_answers_may_both_be_larger_than_what_a_pipe_holds() -> None:
    large: list[bytes | Unreadable] = [bytes([number]) * 4_000_000 for number in range(16)]
    with closing(ordered_map(Echo(), [Todo(task) for task in large], 2)) as results:
        assert list(results) == large


@pytest.mark.slow
def test_a_task_that_cannot_be_read_is_given_up_and_the_others_go_on() -> None:
    tasks: list[bytes | Unreadable] = [b"1", Unreadable(), b"2"]
    with closing(ordered_map(Echo(), [Todo(task) for task in tasks], 2)) as results:
        assert list(results) == [b"1", b"", b"2"]


def test_items_are_not_read_far_ahead_of_the_results() -> None:
    read = 0

    def endless() -> Iterator[Item]:
        nonlocal read
        while True:
            read += 1
            yield Todo(read)

    with closing(ordered_map(Square(), endless(), 2)) as results:
        for _ in range(10):
            next(results)
        time.sleep(0.05)
        assert read < 1000


@pytest.mark.parametrize(
    ("jobs", "work", "files", "expected"),
    [(0, 100, 3, 1), (0, 10**9, 1, 1), (0, 10**9, 1000, 8), (4, 10**9, 1000, 4), (1, 10**9, 1000, 1)],
)
def test_as_many_processes_as_are_worth_it(
    monkeypatch: pytest.MonkeyPatch, jobs: int, work: int, files: int, expected: int
) -> None:
    monkeypatch.setattr(survey, "available_cores", lambda: 8)
    assert worker_count(jobs, work, files) == expected
