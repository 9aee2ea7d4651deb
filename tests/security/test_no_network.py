"""No command reaches for a network, starts another program, or listens to anything; nor does the server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.sample import COMMANDS, WITH_WORKERS, Sample, commands, sample
from tests.security.session import Session
from tests.security.watched import Event, Watch

__all__ = ["sample"]

pytestmark = pytest.mark.slow

LOOPBACK = ("('127.0.0.1'", "('::1'")
PROGRAMS = ("os.system", "os.exec", "os.startfile", "os.spawn", "os.posix_spawn", "os.fork", "pty.spawn")


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path / "watch")


def reaching(watch: Watch) -> list[Event]:
    """Every event that has to do with a network."""
    return [event for event in watch.events() if _reaches(event)]


def _reaches(event: Event) -> bool:
    if not event.name.startswith(("socket.", "urllib.", "http.")):
        return False
    if event.name in ("socket.gethostname", "socket.__new__"):
        # Within a machine: on Windows a pair of sockets, by which a program wakes itself, is made of these.
        family = event.arguments[1] if event.name == "socket.__new__" else None
        return family is not None and family != getattr(socket, "AF_UNIX", None) and sys.platform != "win32"
    if event.name in ("socket.bind", "socket.connect") and sys.platform == "win32":
        return not str(event.arguments[1]).startswith(LOOPBACK)
    return True


def programs(watch: Watch) -> Iterator[Event]:
    """Every start of a program that is not this Python."""
    own = {os.path.realpath(watch.python)}
    for event in watch.events():
        is_other = event.name == "subprocess.Popen" and os.path.realpath(str(event.arguments[0])) not in own
        if is_other or event.name.startswith(PROGRAMS):
            yield event


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_has_to_do_with_a_network_or_another_program(
    name: str, watch: Watch, sample: Sample
) -> None:
    done = watch.run(*commands(sample)[name], directory=sample.project)
    assert done.returncode in (0, 1), done.stderr
    assert len(watch.processes()) >= (2 if name in WITH_WORKERS else 1), "the workers were watched"
    assert reaching(watch) == []
    assert list(programs(watch)) == []


def test_nor_has_the_language_server(watch: Watch, sample: Sample) -> None:
    session = Session(watch, sample.project)
    assert session.open(sample.project / "train.py")
    assert session.open(sample.project / "large.py")
    assert session.command("gpu2ascend.analyzeProject")["status"] == "completed"
    options = {"inputPath": str(sample.project), "outputPath": str(sample.output), "version": "2.8.0"}
    assert session.command("gpu2ascend.migrateProject", options=options)["status"] == "completed"
    assert session.end() == 0
    assert len(watch.processes()) >= 3, "the server, its worker for large files, and the migration"
    assert reaching(watch) == []
    assert list(programs(watch)) == []


@pytest.mark.parametrize(
    "deed",
    [
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
    ],
)
def test_what_reaches_for_a_network_would_be_seen(deed: str, watch: Watch) -> None:
    subprocess.run([str(watch.python), "-I", "-c", deed], capture_output=True, env=watch.environment)
    assert reaching(watch)


def test_another_program_would_be_seen(watch: Watch) -> None:
    deed = "import subprocess; subprocess.run(['git', '--version'], capture_output=True)"
    subprocess.run([str(watch.python), "-I", "-c", deed], capture_output=True, env=watch.environment)
    assert list(programs(watch))
