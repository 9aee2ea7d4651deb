"""The server ends by every signal that asks it to, with its client, and with either pipe between them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

from gpu2ascend.lsp.startup.ending import is_running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals"),
]

COMMAND = [sys.executable, "-m", "gpu2ascend", "lsp"]
IGNORING = """
import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""
PATIENCE_SECONDS = 60


class Client:
    """Starts the server, initializes it, and then says nothing more."""

    def __init__(self, command: list[str], process_id: int | None = None) -> None:
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send(1, "initialize", {"processId": process_id, "rootUri": None, "capabilities": {}})
        self.receive()

    def send(self, number: int, method: str, params: object) -> None:
        assert self.server.stdin is not None
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        body = json.dumps(message).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def receive(self) -> dict[str, object]:
        assert self.server.stdout is not None
        header = self.server.stdout.readline()
        while self.server.stdout.readline().strip():
            pass
        message: dict[str, object] = json.loads(self.server.stdout.read(int(header.split(b":")[1])))
        return message

    def wait(self) -> int:
        return self.server.wait(PATIENCE_SECONDS)


@pytest.fixture
def clients() -> Iterator[list[Client]]:
    made: list[Client] = []
    yield made
    for client in made:
        client.server.kill()
        client.server.wait()
        for pipe in (client.server.stdin, client.server.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("launcher", [[], [sys.executable, "-c", IGNORING]], ids=["plain", "ignored"])
def test_a_signal_ends_it_though_the_client_says_nothing(
    clients: list[Client], name: str, launcher: list[str]
) -> None:
    client = Client([*launcher, *COMMAND])
    clients.append(client)
    client.server.send_signal(getattr(signal, name))
    assert client.wait() == -getattr(signal, name)


def test_it_ends_with_its_clients_process_though_the_pipes_stay_open(clients: list[Client]) -> None:
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = Client(COMMAND, process_id=editor.pid)
    clients.append(client)
    assert client.server.poll() is None
    editor.kill()
    editor.communicate()
    assert client.wait() == 1


def test_a_process_that_cannot_be_seen_from_here_is_not_waited_for(clients: list[Client]) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    client = Client(COMMAND, process_id=gone.pid)
    clients.append(client)
    client.send(2, "shutdown", None)
    answer = client.receive()
    while answer.get("id") != 2:
        answer = client.receive()
    assert answer == {"jsonrpc": "2.0", "id": 2, "result": None}


@pytest.mark.parametrize("pipe", ["stdin", "stdout"])
def test_it_ends_when_a_pipe_is_closed(clients: list[Client], pipe: str) -> None:
    client = Client(COMMAND)
    clients.append(client)
    getattr(client.server, pipe).close()
    if pipe == "stdout":
        client.send(2, "shutdown", None)  # it notices when it answers
    assert client.wait() in (0, 1)


def test_it_knows_which_processes_there_are() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert is_running(os.getpid())
    assert not is_running(gone.pid)
