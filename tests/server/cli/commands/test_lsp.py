"""``gpu2ascend lsp``: by what it talks and what it writes down."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.cli.app import run


@pytest.mark.parametrize("flag", ["--tcp=127.0.0.1:2087", "--socket=2087", "--pipe=/tmp/pipe"])
def test_it_listens_on_nothing_that_another_program_could_connect_to(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["lsp", flag]) == 2
    assert flag.partition("=")[0] in capsys.readouterr().err


class Connection:
    """A client over the standard streams of a server."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._input, self._output = process.stdin, process.stdout

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._input.flush()

    def answer(self, number: int) -> Any:
        return self._message(lambda message: message.get("id") == number)["result"]

    def notification(self, method: str) -> Any:
        return self._message(lambda message: message.get("method") == method)["params"]

    def _message(self, is_wanted: Callable[[Any], bool]) -> Any:
        while True:
            length = 0
            while line := self._output.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            assert length, "the server has gone"
            message = json.loads(self._output.read(length))
            if is_wanted(message):
                return message


@pytest.mark.slow
def test_a_session_with_a_log_file(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    command = [sys.executable, "-m", "gpu2ascend", "lsp", "--log-file", str(log), "--log-level", "info"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        client = Connection(process)
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
