"""A process of this program ends with it, whatever it is doing then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend.project.processes import spawn

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the processes are killed by signals")

TOP = Path(__file__).parents[4]
PATIENCE_SECONDS = 60
PARENT = """
import sys, time
sys.path[:0] = sys.argv[1:3]
from gpu2ascend.project.processes.spawn import start
from tests.server.project.processes.test_spawn import never_done
process = start(never_done, cleans_up=sys.argv[3] == "cleans up")
print(process.channel.recv(), flush=True)
time.sleep(600)
"""


def never_done(channel: object) -> None:
    """Work that looks at nothing else. Runs in the process."""
    channel.send(os.getpid())  # type: ignore[attr-defined]
    time.sleep(600)


@pytest.fixture
def family(request: pytest.FixtureRequest) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A program with a process that works, and the number of that process."""
    command = [sys.executable, "-c", PARENT, str(TOP), str(TOP / "server"), request.param]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(TOP), str(TOP / "rules")))}
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    yield parent, child
    parent.kill()
    parent.wait()
    parent.stdout.close()
    if is_running(child):
        os.kill(child, signal.SIGKILL)


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process_id}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def ends(process_id: int) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while is_running(process_id) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(process_id)


@pytest.mark.parametrize("family", ["ends"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_it_ends_with_its_parent_in_the_middle_of_its_work(
    family: tuple[subprocess.Popen[str], int], number: signal.Signals
) -> None:
    parent, child = family
    assert is_running(child)
    parent.send_signal(number)
    parent.wait()
    assert ends(child)


@pytest.mark.parametrize("family", ["cleans up"], indirect=True)
def test_one_that_cleans_up_is_left_to_do_so(family: tuple[subprocess.Popen[str], int]) -> None:
    parent, child = family
    parent.kill()
    parent.wait()
    time.sleep(0.5)
    assert is_running(child)


def test_a_process_has_the_variables_of_this_one_but_for_those_of_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs = {"HOME_OF_TEST": "a", "MY_PYTHON": "b", "HTTP_PROXY_OF_TEST": "c"}
    pythons = ("PYTHONPATH", "PYTHONSTARTUP", "pythonHome", "__PYVENV_LAUNCHER__")
    for name, value in {**theirs, **dict.fromkeys(pythons, "x")}.items():
        monkeypatch.setenv(name, value)
    handed = spawn._environment()
    assert theirs.items() <= handed.items() and "PATH" in handed
    assert not handed.keys() & {*pythons}
