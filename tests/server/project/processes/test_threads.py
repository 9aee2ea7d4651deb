"""Work in threads gives its result, or its error, to who waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gpu2ascend.project.processes.threads import Lane, in_thread

PATIENCE = 30
Run = Callable[[Callable[[], int]], Awaitable[int]]


async def waited_for(run: Run, work: Callable[[], int]) -> int:
    """The result of work, unless it never comes."""
    return await asyncio.wait_for(run(work), PATIENCE)


class Stopped(BaseException):
    """What is no exception by which mistakes are caught."""


WAYS = [pytest.param(in_thread, id="a thread"), pytest.param(Lane("lane").run, id="a lane")]


@pytest.mark.parametrize("run", WAYS)
async def test_a_result_comes_back(run: Run) -> None:
    assert await waited_for(run, lambda: 3) == 3


@pytest.mark.parametrize("error", [ValueError("a mistake"), Stopped()])
@pytest.mark.parametrize("run", WAYS)
def test_so_does_an_error_of_any_kind(run: Run, error: BaseException) -> None:
    def fail() -> int:
        raise error

    async def caught() -> BaseException | int:
        try:
            return await asyncio.wait_for(run(fail), PATIENCE)
        except BaseException as found:
            return found

    assert asyncio.run(caught()) is error


async def test_what_has_begun_in_a_lane_does_not_keep_the_next_from_its_turn() -> None:
    lane = Lane("lane")

    def fail() -> int:
        raise ValueError

    first, second = list(await asyncio.gather(lane.run(fail), lane.run(lambda: 4), return_exceptions=True))
    assert isinstance(first, ValueError) and second == 4
