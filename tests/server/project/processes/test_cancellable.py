"""A cancel ends work in a separate process, also where Python loses the exception that ends it."""

from __future__ import annotations

import time
from contextlib import suppress

import attrs
import pytest

from gpu2ascend.project.errors import CancelledError
from gpu2ascend.project.processes import cancellable
from gpu2ascend.project.processes.cancellable import CancellableProcess, Reporter
from gpu2ascend_rules.model.finding import Message

BEGUN, MORE = "begun", "more"


@attrs.frozen
class Deaf:
    """Work that loses the exception of the first cancel, as a finalizer would, and goes on."""

    commits: bool

    def __call__(self, reporter: Reporter) -> str:
        reporter.send(BEGUN)
        with suppress(KeyboardInterrupt):
            time.sleep(60)
        if self.commits:
            reporter.commit()
        else:
            reporter.send(MORE)
        return "done"

    def died(self) -> Message:
        return Message.of("project.migration-died", path="x")


@pytest.mark.parametrize("commits", [True, False])
def test_a_lost_exception_ends_the_work_at_its_next_step(commits: bool) -> None:
    process = CancellableProcess[str](Deaf(commits))
    seen: list[object] = []

    def on_event(event: object) -> None:
        seen.append(event)
        process.cancel()

    with pytest.raises(CancelledError):
        process.run(on_event)
    assert seen == [BEGUN]


@attrs.frozen
class Stuck:
    """Work that a cancel does not end."""

    def __call__(self, reporter: Reporter) -> str:
        reporter.send(BEGUN)
        while True:
            with suppress(KeyboardInterrupt):
                time.sleep(60)

    def died(self) -> Message:
        return Message.of("project.migration-died", path="x")


def test_work_that_hangs_is_killed_when_its_grace_is_over() -> None:
    process = CancellableProcess[str](Stuck(), grace=0.1)
    with pytest.raises(CancelledError):
        process.run(lambda _: process.cancel())


@attrs.frozen
class Finishing:
    """Work whose last step takes longer than its grace."""

    def __call__(self, reporter: Reporter) -> str:
        reporter.commit()
        reporter.send(BEGUN)
        time.sleep(0.5)
        return "done"

    def died(self) -> Message:
        return Message.of("project.migration-died", path="x")


def test_work_that_was_committed_is_not_killed() -> None:
    process = CancellableProcess[str](Finishing(), grace=0.05)
    assert process.run(lambda _: process.cancel()) == "done"


class Running:
    """Work and its process, which takes no notice of a cancel."""

    def __init__(self, happened: list[str], waited: list[float]) -> None:
        self._happened, self._waited = happened, waited

    def cancel(self) -> None:
        self._happened.append("cancel")

    def join(self, timeout: float) -> None:
        self._happened.append("join")
        self._waited.append(timeout)


@pytest.mark.parametrize("seconds", [30.0, 0.0, -5.0])
def test_at_the_end_all_work_is_cancelled_at_once_and_waited_for_so_long_in_all(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    happened: list[str] = []
    waited: list[float] = []
    running = [Running(happened, waited) for _ in range(3)]
    monkeypatch.setattr(cancellable, "_running", {item: item for item in running})
    cancellable.end_all(seconds)
    assert happened == ["cancel"] * 3 + ["join"] * 3
    assert waited == sorted(waited, reverse=True)
    assert all(0 <= timeout <= max(0.0, seconds) for timeout in waited)
    assert seconds <= 0 or waited[0] > seconds / 2
