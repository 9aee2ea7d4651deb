"""Asked to end by ``kill``, a batch system or a closed terminal, a command cleans up as for Ctrl-C."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from gpu2ascend.cli.output.progress import ProgressBar
from gpu2ascend.project.processes.interrupts import interrupts_deferred

from .conftest import Run

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.fixture
def signalled(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> signal.Signals:
    """Sends this process a signal in the middle of a migration."""
    number: signal.Signals = request.param

    def send(
        bar: ProgressBar, done: int, total: int | None, name: str = "", label: str | None = None
    ) -> None:
        if total is not None:
            signal.raise_signal(number)

    monkeypatch.setattr(ProgressBar, "update", send)
    return number


@pytest.mark.parametrize("signalled", SIGNALS, indirect=True)
def test_nothing_is_left_and_the_exit_code_names_the_signal(
    run: Run, project: Path, tmp_path: Path, signalled: signal.Signals
) -> None:
    ran = run("migrate", "-i", project, "-o", tmp_path / "a" / "b", "-v", "2.8.0")
    assert (ran.code, ran.out) == (128 + signalled, "") and "interrupted" in ran.err
    assert not (tmp_path / "a").exists()


def test_the_process_is_given_back_as_it_was(run: Run, project: Path) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    run("migrate", "-i", project, "-v", "2.8.0", "--diff")
    assert [signal.getsignal(number) for number in SIGNALS] == before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no such signal")
@pytest.mark.parametrize("signalled", [getattr(signal, "SIGHUP", None)], indirect=True)
def test_a_signal_that_nohup_ignores_stays_ignored(
    run: Run, project: Path, tmp_path: Path, signalled: signal.Signals
) -> None:
    before = signal.signal(signalled, signal.SIG_IGN)
    try:
        assert run("migrate", "-i", project, "-o", tmp_path / "out", "-v", "2.8.0").code == 0
    finally:
        signal.signal(signalled, before)


def test_a_step_that_must_not_be_cut_is_done_first() -> None:
    steps: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: steps.append("signal"))
    try:
        with interrupts_deferred():
            signal.raise_signal(signal.SIGTERM)
            steps.append("step")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert steps == ["step", "signal"]
