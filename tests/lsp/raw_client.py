"""A client that speaks the protocol byte by byte, and says whatever a test wants."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

COMMAND = [sys.executable, "-m", "gpu2ascend", "lsp"]
Json = dict[str, Any]


class RawClient:
    """Speaks the protocol byte by byte."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, message: Json) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_bytes(self, body: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def send_raw(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def wait(self) -> int:
        return self._process.wait(timeout=60)

    def receive(self) -> Json:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server has ended"
        message: Json = json.loads(self._process.stdout.read(length))
        return message

    def answer(self, identifier: int | str) -> Json:
        """The answer to a request; what else comes meanwhile is passed over."""
        while True:
            message = self.receive()
            if message.get("id") == identifier and "method" not in message:
                return message

    def notification(self, method: str) -> Json:
        while True:
            message = self.receive()
            if message.get("method") == method:
                params: Json = message["params"]
                return params

    def initialize(self) -> None:
        options = {"version": "2.8.0"}
        params = {"capabilities": {}, "processId": None, "rootUri": None, "initializationOptions": options}
        self.send({"id": 1, "method": "initialize", "params": params})
        assert "result" in self.answer(1)
        self.send({"method": "initialized", "params": {}})

    def open(self, text: str, uri: str = "file:///p/a.py", language: str = "python") -> None:
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})

    def diagnostics(self) -> Json:
        """The next diagnostics that are sent, with the document that they are for."""
        return self.notification("textDocument/publishDiagnostics")

    def codes(self) -> list[str]:
        """Their codes alone."""
        return [item["code"] for item in self.diagnostics()["diagnostics"]]

    def end(self) -> int:
        self.send({"id": 99, "method": "shutdown"})
        self.answer(99)
        self.send({"method": "exit"})
        return self._process.wait(timeout=60)

    @property
    def process_id(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
