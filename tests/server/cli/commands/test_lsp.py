"""``gpu2ascend lsp``: where it listens and what it writes down."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.cli.commands.lsp import _address
from gpu2ascend.cli.output.errors import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:2087", ("127.0.0.1", 2087)),
        ("localhost:0", ("localhost", 0)),
        (":80", ("127.0.0.1", 80)),
        ("80", ("127.0.0.1", 80)),
        ("[::1]:9", ("::1", 9)),
    ],
)
def test_an_address_is_one_of_this_machines_own(text: str, address: tuple[str, int]) -> None:
    assert _address(text) == address


@pytest.mark.parametrize("text", ["0.0.0.0:80", "192.0.2.1:80", "example.org:80", "127.0.0.1:x", "::1:99999"])
def test_no_other_is_listened_on(text: str) -> None:
    with pytest.raises(UsageError):
        _address(text)


class Connection:
    """A client over TCP."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        while True:
            try:
                self._file = socket.create_connection(("127.0.0.1", port)).makefile("rwb")
                return
            except ConnectionRefusedError:
                assert process.poll() is None, "the server has ended"

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._file.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._file.flush()

    def answer(self, number: int) -> Any:
        return self._message(lambda message: message.get("id") == number)["result"]

    def notification(self, method: str) -> Any:
        return self._message(lambda message: message.get("method") == method)["params"]

    def _message(self, is_wanted: Callable[[Any], bool]) -> Any:
        while True:
            length = 0
            while line := self._file.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            assert length, "the server has gone"
            message = json.loads(self._file.read(length))
            if is_wanted(message):
                return message


@pytest.mark.slow
def test_a_session_over_tcp_with_a_log_file(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "server.log"
    command = [sys.executable, "-m", "gpu2ascend", "lsp", "--tcp", f"127.0.0.1:{port}"]
    with subprocess.Popen([*command, "--log-file", str(log), "--log-level", "info"]) as process:
        client = Connection(port, process)
        client.send(
            id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}}
        )
        assert client.answer(1)["serverInfo"]["name"] == "gpu2ascend"
        client.send(method="initialized", params={})
        assert "started gpu2ascend" in client.notification("window/logMessage")["message"]
        client.send(id=2, method="shutdown")
        assert client.answer(2) is None
        client.send(method="exit")
        assert process.wait(timeout=120) == 0
    assert "started gpu2ascend" in log.read_text("utf-8")
