"""Ctrl-C at any moment: the output is whole or nothing of it is there, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from gpu2ascend.project.migrate import output
from gpu2ascend.project.processes.interrupts import interrupts_blocked_for_children, interrupts_deferred
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, Files, but_for_times, names, tree

Make = Callable[[Files], Path]
PROJECT_LAYER = str(Path(output.__file__).parents[1])
TOP = Path(__file__).parents[4]


class InterruptAt:
    """Sends this process an interrupt when the n-th line of the project layer is about to run."""

    def __init__(self, line: int | None) -> None:
        self._line = line
        self.lines = 0

    def __enter__(self) -> InterruptAt:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, argument: object) -> Callable[..., object] | None:
        if not frame.f_code.co_filename.startswith(PROJECT_LAYER):
            return None
        return self._local

    def _local(self, frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        if event == "line":
            self.lines += 1
            if self.lines == self._line:
                signal.raise_signal(signal.SIGINT)
        return self._local


def state_of(directory: Path) -> dict[str, bytes] | None:
    """A migrated project without what differs from run to run; None if there is nothing at all."""
    if not directory.exists():
        return None
    assert names(directory) == ["proj_msft"]
    return but_for_times(tree(directory))


@pytest.mark.slow
def test_interrupted_at_any_line_the_output_is_whole_or_absent(
    run: Migrate, make: Make, tmp_path: Path
) -> None:
    root = make({"a.py": CUDA, "pkg/b.txt": "x"})
    run(root, output=tmp_path / "first")  # what is imported when it is first needed has its lines run once
    with InterruptAt(None) as dry:
        whole = state_of(run(root, output=tmp_path / "dry").output.parent)
    step = max(1, dry.lines // 150)
    seen = set()
    for line in range(1, dry.lines, step):
        place = tmp_path / f"out{line}"
        with InterruptAt(line), pytest.raises(KeyboardInterrupt):
            run(root, output=place)
        state = state_of(place)
        assert state in (None, whole), line
        seen.add(state is None)
    assert seen == {True, False}


def test_interrupted_at_any_line_an_earlier_output_is_the_old_one_or_the_new_one(
    run: Migrate, make: Make, tmp_path: Path
) -> None:
    root = make({"a.py": CUDA})
    old = run(root).output.parent
    before = state_of(old)
    make({"a.py": CUDA + "x = 1\n"})
    with InterruptAt(None) as dry:
        after = state_of(run(root, output=tmp_path / "dry").output.parent)
    for line in range(dry.lines // 2, dry.lines, max(1, dry.lines // 80)):
        with InterruptAt(line), pytest.raises(KeyboardInterrupt):
            run(root, force=True)
        assert state_of(old) in (before, after), line


def test_a_deferred_interrupt_acts_at_the_end_of_the_block() -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt), interrupts_deferred():
        signal.raise_signal(signal.SIGINT)
        steps.append("still going")
    assert steps == ["still going"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows has no masks of signals")
def test_children_are_started_while_the_terminal_interrupts_nobody() -> None:
    def blocked() -> bool:
        return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])

    seen = []
    with interrupts_blocked_for_children():
        seen.append(blocked())
    seen.append(blocked())
    with pytest.raises(OSError), interrupts_blocked_for_children():
        raise OSError
    seen.append(blocked())
    assert seen == [True, False, False]


def is_gone(group: int) -> bool:
    """Whether no process of a group is left; the helper of multiprocessing leaves a moment later."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def migration(make: Make, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A migration on two processes, just begun, in a separate process group."""
    root = make({f"p{number % 7}/m{number}.py": CUDA * 20 for number in range(150)})
    path = os.pathsep.join(str(TOP / part) for part in ("rules", "server", ""))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.server.project.interrupted", str(root), str(tmp_path / "out"), "2"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "READY\n"
    yield process
    process.kill()
    process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [0, 20, 60, 100, 150, 250, 400, 600, 900])
def test_a_terminal_interrupt_ends_everything_without_a_trace(
    migration: subprocess.Popen[str], tmp_path: Path, milliseconds: int
) -> None:
    time.sleep(milliseconds / 1000)
    os.killpg(migration.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    out, errors = migration.communicate(timeout=60)
    assert errors == ""
    if "DONE" in out:
        assert names(tmp_path / "out") == ["proj_msft"]
    else:
        # An interrupt inside ``eval`` of a text, by which an import makes a class, is handled as any other,
        # but CPython remembers it: when all is done, the process ends by the signal, not by its exit code.
        assert migration.returncode in (3, -signal.SIGINT)
        assert not (tmp_path / "out").exists() or names(tmp_path / "out") == ["proj_msft"]
    assert is_gone(migration.pid)
