"""A cancel ends work in whichever step it is, and a step that comes after it, too."""

from __future__ import annotations

import asyncio
import threading

import pytest

from gpu2ascend.lsp.commands.cancelling import CancellableWork
from gpu2ascend.project.errors import CancelledError


class Step:
    def __init__(self) -> None:
        self.cancelled = 0

    def cancel(self) -> None:
        self.cancelled += 1


def test_the_step_of_now_is_ended_and_those_before_are_not() -> None:
    work, first, second = CancellableWork(), Step(), Step()
    assert work.next(first) is first
    assert work.next(second) is second
    assert second.cancelled == 0
    work.cancel()
    assert (first.cancelled, second.cancelled) == (0, 1)


def test_a_step_that_comes_after_the_cancel_is_ended_at_once() -> None:
    work, step = CancellableWork(), Step()
    work.cancel()
    work.next(step)
    assert step.cancelled == 1


def test_a_step_in_a_thread_gives_its_result() -> None:
    assert asyncio.run(CancellableWork().in_thread(lambda: 3)) == 3


@pytest.mark.parametrize("of_request", [False, True])
async def test_nobody_waits_for_a_thread_that_was_cancelled(of_request: bool) -> None:
    """The work says that it was cancelled; that the whole request was, asyncio says."""
    end = threading.Event()

    work = CancellableWork()
    task = asyncio.ensure_future(work.in_thread(lambda: end.wait(60)))
    await asyncio.sleep(0.01)
    (task if of_request else work).cancel()
    await asyncio.wait([task])
    end.set()
    result = asyncio.CancelledError if task.cancelled() else type(task.exception())
    assert result is (asyncio.CancelledError if of_request else CancelledError)
